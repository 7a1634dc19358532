import { runeAt } from "../../base/go-text.ts";
import { isPlaceholder } from "../../base/placeholders.ts";
import { functionOf, isDefault, type SubstitutionBudget } from "./flux-functions.ts";
import { placeholderOf } from "./unknown-values.ts";

// Parses `${…}` like fluxcd/pkg/envsubst. docs/reference/commands/apps.md lists the differences to a shell. Texts are bytes (go-text.ts).

export type Part = string | Expression;

/** `${name…}` with an operator and its arguments. */
export interface Expression {
  readonly name: string;
  /** "" if there is none. */
  readonly operator: string;
  readonly args: readonly Part[];
}

export interface Variable {
  readonly value: string;
  /** It may be unset: a default takes precedence. */
  readonly isGuess?: boolean;
}

/** An error in a template; `offset` is in bytes. */
export interface TemplateProblem {
  readonly problem: string;
  readonly offset: number;
}

const MOST_NESTED = 200;

/** Parses a template. */
export function templateOf(text: string): readonly Part[] | TemplateProblem {
  try {
    return new Reader(text).template();
  } catch (cause) {
    if (cause instanceof Unreadable) return { problem: cause.message, offset: cause.offset };
    throw cause;
  }
}

/** Fills in the variables of a template. */
export function filledIn(
  parts: readonly Part[],
  variableOf: (name: string) => Variable,
  budget: SubstitutionBudget,
): string {
  const valueOf = (part: Part): string => {
    if (typeof part === "string") return part;
    const { name, operator, args } = part;
    const { value, isGuess = false } = variableOf(name);
    const isLeft = isGuess && isDefault(operator) && args.length > 0;
    const given = args.map(valueOf);
    // A part of a placeholder would show digits of its digest.
    const made =
      given.length > 0 && !isDefault(operator) && isPlaceholder(value)
        ? placeholderOf(value, operator, ...given)
        : functionOf(operator)(isLeft ? "" : value, given, budget);
    budget.spend(value.length + made.length);
    budget.grow(made.length);
    return made;
  };
  return parts.map(valueOf).join("");
}

class Unreadable extends Error {
  readonly offset: number;

  constructor(problem: string, offset: number) {
    super(problem);
    this.offset = offset;
  }
}

class Reader {
  readonly #text: string;
  #offset = 0;
  #depth = 0;

  constructor(text: string) {
    this.#text = text;
  }

  /** The whole template: text, in which two dollars are one, and expressions. */
  template(): readonly Part[] {
    const parts: Part[] = [];
    let from = 0;
    let before = "";
    for (;;) {
      const dollar = this.#text.indexOf("$", this.#offset);
      if (dollar < 0) break;
      const next = this.#text.charAt(dollar + 1);
      if (next === "{") {
        parts.push(before + this.#text.slice(from, dollar));
        before = "";
        this.#offset = dollar + 2;
        parts.push(this.#expression());
        from = this.#offset;
      } else {
        // The second dollar does not begin an expression.
        if (next === "$") {
          before += this.#text.slice(from, dollar + 1);
          from = dollar + 2;
        }
        this.#offset = next === "$" ? dollar + 2 : dollar + 1;
      }
    }
    parts.push(before + this.#text.slice(from));
    return parts;
  }

  #expression(): Expression {
    this.#depth += 1;
    if (this.#depth > MOST_NESTED) throw this.#wrong("expressions are nested too deep");
    const made = this.#peek() === "#" ? this.#length() : this.#named();
    this.#depth -= 1;
    return made;
  }

  #length(): Expression {
    this.#offset += 1;
    const name = this.#name();
    return this.#closed({ name, operator: "#", args: [] });
  }

  #named(): Expression {
    const name = this.#name();
    switch (this.#peek()) {
      case ":":
        return this.#colon(name);
      case "=":
        return this.#default(name, "=");
      case ",":
      case "^":
        return this.#closed({ name, operator: this.#operator(/[,^]{1,2}/uy), args: [] });
      case "/":
        return this.#replacement(name, this.#operator(/\/[/#%]?/uy));
      case "#":
        return this.#trim(name, this.#operator(/#{1,2}/uy));
      case "%":
        return this.#trim(name, this.#operator(/%{1,2}/uy));
      default:
        return this.#closed({ name, operator: "", args: [] });
    }
  }

  #colon(name: string): Expression {
    const next = this.#text.charAt(this.#offset + 1);
    if (/^[-=?+]$/u.test(next)) return this.#default(name, `:${next}`);
    // The parser of Flux fails before a character of several bytes.
    if (next > "\u007f") throw this.#wrong("invalid position");
    this.#offset += 1;
    const args = [this.#argument(/[^:}]/u)];
    if (this.#peek() === ":") {
      while (this.#peek() === ":") this.#offset += 1;
      args.push(this.#argument(/[^}]/u));
    }
    return this.#closed({ name, operator: ":", args });
  }

  #default(name: string, operator: string): Expression {
    this.#offset += operator.length;
    const args: Part[] = [];
    while (this.#peek() !== "}") args.push(this.#argument(/[^}]/u));
    return this.#closed({ name, operator, args });
  }

  #trim(name: string, operator: string): Expression {
    return this.#closed({ name, operator, args: [this.#argument(/[^}]/u)] });
  }

  #replacement(name: string, operator: string): Expression {
    // Up to the next slash, even after a closing brace.
    const args = [this.#argument(/[^/]/u, true)];
    if (this.#peek() !== "/") throw this.#wrong("the second slash of a replacement is missing");
    while (this.#peek() === "/") this.#offset += 1;
    if (this.#peek() !== "}") args.push(this.#argument(/[^}]/u, true));
    return this.#closed({ name, operator, args });
  }

  /** An expression, or at least one accepted character; with escapes, some may follow a backslash or dollar. */
  #argument(taken: RegExp, hasEscapes = false): Part {
    let text = "";
    for (let isFirst = true; ; isFirst = false) {
      const next = this.#peek();
      const behind = this.#text.charAt(this.#offset + 1);
      if (next === "$" && behind === "{") {
        if (!isFirst) return text;
        this.#offset += 2;
        return this.#expression();
      }
      const isEscape =
        hasEscapes && ((next === "$" && behind === "$") || (next === "\\" && (behind === "/" || behind === "\\")));
      if (isEscape) {
        text += behind;
        this.#offset += 2;
      } else if (next !== "" && taken.test(next)) {
        text += next;
        this.#offset += 1;
      } else if (isFirst) throw this.#wrong("unexpected character");
      else return text;
    }
  }

  #name(): string {
    const from = this.#offset;
    for (;;) {
      const rune = runeAt(this.#text, this.#offset);
      if (rune === undefined || !/^[\p{L}\p{Nd}_]$/u.test(rune.character)) break;
      this.#offset += rune.bytes.length;
    }
    if (this.#offset === from) throw this.#wrong("a name is missing");
    return this.#text.slice(from, this.#offset);
  }

  #operator(form: RegExp): string {
    form.lastIndex = this.#offset;
    const [found = ""] = form.exec(this.#text) ?? [];
    this.#offset += found.length;
    return found;
  }

  #closed(expression: Expression): Expression {
    if (this.#peek() !== "}") throw this.#wrong("a closing brace is missing");
    this.#offset += 1;
    return expression;
  }

  #peek(): string {
    return this.#text.charAt(this.#offset);
  }

  #wrong(problem: string): Unreadable {
    return new Unreadable(problem, this.#offset);
  }
}
