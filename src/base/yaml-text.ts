// Plain where every reader of YAML, of 1.1 too, takes it for the text that it is, in a flow as well.
const PLAIN = /^[A-Za-z][\w./*$-]*$/u;
const TYPED = /^(?:y|n|yes|no|on|off|true|false|null)$/iu;

/** A text as a value of YAML: in quotes where it has to be. */
export function yamlText(text: string): string {
  return PLAIN.test(text) && !TYPED.test(text) ? text : JSON.stringify(text);
}
