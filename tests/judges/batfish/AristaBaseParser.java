package org.batfish.vendor.arista.grammar;

import org.antlr.v4.runtime.Parser;
import org.antlr.v4.runtime.Token;
import org.antlr.v4.runtime.TokenStream;

/** What the grammar asks its parser: whether a token is a VLAN id. */
public abstract class AristaBaseParser extends Parser {
  public AristaBaseParser(TokenStream input) {
    super(input);
  }

  protected static boolean isVlanId(Token token) {
    return token.getText().matches("\\d{1,4}")
        && Integer.parseInt(token.getText()) >= 1
        && Integer.parseInt(token.getText()) <= 4094;
  }
}
