import { loadYaml } from "../lazy-modules.ts";

/**
 * Gives a text of the same length in which every closing bracket that begins a line stands behind
 * what it closes: the white space, line breaks and comments before it become spaces.
 *
 * kubectl's reader takes a closing bracket at its key's column (istio's SPIRE sample has one);
 * YAML 1.2 and js-yaml do not. As no offset moves and no value changes, js-yaml's events of the
 * relaxed text hold for the original one. Costs a pass of `yaml`'s lexer: only for refused texts.
 */
export function relaxClosingBrackets(text: string): string {
  let relaxed = "";
  let gap = "";
  let inScalar = false;
  for (const token of new (loadYaml().Lexer)().lex(text)) {
    if (token === DOCUMENT_START || token === FLOW_ERROR_END) continue;
    if (token === SCALAR_NEXT) {
      inScalar = true;
      continue;
    }
    if (!inScalar && /^(?:[ \t\r\n]|#)/u.test(token)) {
      gap += token;
      continue;
    }
    relaxed += !inScalar && (token === "]" || token === "}") ? " ".repeat(gap.length) : gap;
    relaxed += token;
    gap = "";
    inScalar = false;
  }
  return relaxed + gap;
}

// The marks that the lexer puts between the tokens of the text (yaml's docs, "Lexer").
const DOCUMENT_START = "\u0002";
const FLOW_ERROR_END = "\u0018";
const SCALAR_NEXT = "\u001f";
