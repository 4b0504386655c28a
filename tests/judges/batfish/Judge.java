import org.antlr.v4.runtime.BaseErrorListener;
import org.antlr.v4.runtime.CharStreams;
import org.antlr.v4.runtime.CommonTokenStream;
import org.antlr.v4.runtime.RecognitionException;
import org.antlr.v4.runtime.Recognizer;
import org.batfish.vendor.arista.grammar.AristaLexer;
import org.batfish.vendor.arista.grammar.AristaParser;

/** Parses files with Batfish's grammar of Arista EOS and prints what it does not know. */
public final class Judge {
  public static void main(String[] files) throws Exception {
    for (String file : files) {
      BaseErrorListener told = new BaseErrorListener() {
        @Override
        public void syntaxError(Recognizer<?, ?> by, Object token, int line, int column, String why, RecognitionException e) {
          System.out.println(file + ":" + line + ":" + column + ": " + why.replace('\n', ' '));
        }
      };
      AristaLexer lexer = new AristaLexer(CharStreams.fromFileName(file));
      lexer.removeErrorListeners();
      lexer.addErrorListener(told);
      AristaParser parser = new AristaParser(new CommonTokenStream(lexer));
      parser.removeErrorListeners();
      parser.addErrorListener(told);
      parser.arista_configuration();
    }
  }
}
