/** What stands for a value: `[EMAIL_K7Q2M9XW]`. */
const FORM = /\[([A-Z][A-Z_]{1,19})_([A-Z2-7]{8,16})\]/gi;
/** The end of a text that may become one. */
const OPEN = /\[[A-Za-z_]{0,20}[A-Za-z2-7]{0,16}$/;
/** The longest. */
const PLACEHOLDER_LENGTH = 40;

const ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
const [SHORT, LONG] = [8, 16];

/**
 * The values of one request and what stands for them. A placeholder follows from the value and a key of its tenant alone: in a later
 * turn the value gets the same one, and what the tenant of another key sends is no placeholder of this one's.
 */
export class Placeholders {
  readonly #byValue = new Map<string, string>();
  readonly #values = new Map<string, string>();

  /**
   * `digest`: a keyed hash of a text, for the tenant alone, in hexadecimal. `earlier`: values of earlier requests of the tenant by
   * what stands for them, whose conversation a provider stores.
   */
  constructor(
    private readonly digest: (text: string) => string,
    private readonly earlier: Readonly<Record<string, string>> = {},
  ) {}

  /** What stands for a value; the same for the same value. */
  of(type: string, value: string): string {
    const known = this.#byValue.get(value);
    if (known) return known;
    const code = codeOf(this.digest(`${type} ${value}`));
    const short = `[${type}_${code.slice(0, SHORT)}]`;
    const placeholder = this.#values.has(short) ? `[${type}_${code}]` : short;
    this.#byValue.set(value, placeholder);
    this.#values.set(placeholder, value);
    return placeholder;
  }

  /** What would stand for a value that is not put back. */
  conceal(type: string, value: string): string {
    return this.#byValue.get(value) ?? `[${type}_${codeOf(this.digest(`${type} ${value}`)).slice(0, SHORT)}]`;
  }

  /** The values of this request by what stands for them. */
  get entries(): ReadonlyMap<string, string> {
    return this.#values;
  }

  /** Nothing can be restored. */
  get isEmpty(): boolean {
    return this.#values.size === 0 && Object.keys(this.earlier).length === 0;
  }

  /** The text with the values in place of what stands for them; `write`: how a value is written there. */
  restore(text: string, write: (value: string) => string = asIs): string {
    if (!text.includes("[")) return text;
    return text.replace(FORM, (placeholder) => {
      const upper = placeholder.toUpperCase();
      const value = this.#values.get(upper) ?? (Object.hasOwn(this.earlier, upper) ? this.earlier[upper] : undefined);
      return value === undefined ? placeholder : write(value);
    });
  }
}

const asIs = (value: string): string => value;

/** A value inside a JSON text's string. */
export const inJson = (value: string): string => JSON.stringify(value).slice(1, -1);

function codeOf(hex: string): string {
  let code = "";
  for (let at = 0; code.length < LONG; at += 2) {
    code += ALPHABET[Number.parseInt(hex.slice(at, at + 2), 16) & 31] ?? "A";
  }
  return code;
}

/** Restores a text that comes in parts: holds back what may become a placeholder. */
export class Restorer {
  #held = "";

  constructor(
    private readonly placeholders: Pick<Placeholders, "restore">,
    private readonly write: (value: string) => string = asIs,
  ) {}

  push(text: string): string {
    const all = this.#held + text;
    const open = OPEN.exec(all.length > PLACEHOLDER_LENGTH ? all.slice(-PLACEHOLDER_LENGTH) : all);
    this.#held = open ? open[0] : "";
    return this.placeholders.restore(all.slice(0, all.length - this.#held.length), this.write);
  }

  end(): string {
    const rest = this.#held;
    this.#held = "";
    return rest;
  }
}
