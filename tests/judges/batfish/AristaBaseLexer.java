package org.batfish.vendor.arista.grammar;

import org.antlr.v4.runtime.CharStream;
import org.antlr.v4.runtime.Lexer;
import org.antlr.v4.runtime.Token;

/** What the grammar asks its lexer: the last two visible tokens, and whether a banner ends here. */
public abstract class AristaBaseLexer extends Lexer {
  private int last = -1;
  private int secondToLast = -1;

  public AristaBaseLexer(CharStream input) {
    super(input);
  }

  @Override
  public void emit(Token token) {
    super.emit(token);
    if (token.getChannel() != HIDDEN) {
      secondToLast = last;
      last = token.getType();
    }
  }

  protected int lastTokenType() {
    return last;
  }

  protected int secondToLastTokenType() {
    return secondToLast;
  }

  protected boolean isWhitespace(int character) {
    return character == ' ' || character == '\t';
  }

  protected String lookAheadStringSkipWhitespace(int size) {
    int start = 1;
    while (isWhitespace(getInputStream().LA(start))) {
      start++;
    }
    StringBuilder text = new StringBuilder();
    for (int at = start; at < start + size; at++) {
      text.append((char) getInputStream().LA(at));
    }
    return text.toString();
  }

  protected boolean bannerEosDelimiterFollows() {
    CharStream input = getInputStream();
    int end = input.LA(4);
    return input.LA(1) == 'E' && input.LA(2) == 'O' && input.LA(3) == 'F' && (end == '\n' || end == '\r');
  }
}
