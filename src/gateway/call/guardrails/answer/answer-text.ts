import type { Guardrail } from "../../../../domain/models/guardrails/compile.ts";
import { type Detector, scan } from "../../../../domain/models/guardrails/detect/detector.ts";
import { fold } from "../../../../domain/models/guardrails/detect/fold.ts";
import { jsonIn, mapInJson, mapTexts } from "../../../../domain/models/guardrails/map-texts.ts";
import { Masker, MatchOwners } from "../../../../domain/models/guardrails/mask.ts";
import { inJson, type Placeholders, Restorer } from "../../../../domain/models/guardrails/placeholders.ts";
import { type Piece, TextWindow } from "../../../../domain/models/guardrails/window.ts";

const OPENS_JSON = /^\s*[[{]/;

/** What guardrails do with the texts of one answer, and what they have found so far. */
export class AnswerRules {
  /** What was found of which type by which guardrail. */
  readonly found = new Map<Guardrail, Record<string, number>>();
  /** The guardrail that has ended the answer; null: none has. */
  blockedBy: Guardrail | null = null;
  readonly #owners = new MatchOwners();
  /** For texts that people read, and for inputs of tools. */
  readonly textDetectors: readonly Detector[];
  readonly #toolDetectors: readonly Detector[];

  readonly #masker: Masker;

  constructor(
    private readonly guardrails: readonly Guardrail[],
    private readonly placeholders: Placeholders,
  ) {
    const all = guardrails.map((guardrail) => ({ guardrail, detectors: this.#owners.detectorsOf(guardrail) }));
    this.textDetectors = all.flatMap(({ detectors }) => detectors);
    this.#toolDetectors = all.flatMap(({ guardrail, detectors }) => (guardrail.textsOnly ? [] : detectors));
    this.#masker = new Masker(this.#toolDetectors, (text, match) => this.replace({ text, match })?.text ?? "");
  }

  /** Whether inputs of tools pass as they are. */
  get leavesTools(): boolean {
    return this.#toolDetectors.length === 0 && this.placeholders.isEmpty;
  }

  /** What a piece becomes; null: the answer ends before it. */
  replace({ text, match }: Piece): Readonly<{ text: string; isMasked: boolean }> | null {
    const guardrail = match && this.#owners.of(match);
    if (!guardrail) return { text, isMasked: false };
    this.note(guardrail, match.type);
    this.#findWithin(text, guardrail);
    if (this.blockedBy) return null;
    if (guardrail.isShadow || guardrail.action === "flag") return { text, isMasked: false };
    if (guardrail.action === "block") {
      this.blockedBy = guardrail;
      return null;
    }
    const { mask, restores } = guardrail;
    return {
      text: mask ?? (restores ? this.placeholders.conceal(match.type, text) : `[${match.type}]`),
      isMasked: true,
    };
  }

  /** What the other guardrails find in a match: the one that has it may be milder than they are. */
  #findWithin(text: string, owner: Guardrail): void {
    if (this.guardrails.length === 1) return;
    const folded = fold(text);
    for (const guardrail of this.guardrails) {
      if (guardrail === owner || guardrail.textsOnly) continue;
      const [first] = scan(folded, guardrail.detectors);
      if (!first) continue;
      this.note(guardrail, first.type);
      if (!guardrail.isShadow && guardrail.action === "block") this.blockedBy = guardrail;
    }
  }

  /** Notes that a guardrail found something. */
  note(guardrail: Guardrail, type: string): void {
    const found = this.found.get(guardrail) ?? {};
    this.found.set(guardrail, { ...found, [type]: (found[type] ?? 0) + 1 });
  }

  /** A value of an answer that is complete, such as what a hosted tool returned, masked and restored; null: the answer ends before it. */
  value<T>(value: T): T | null {
    const mapped = mapTexts(value, (text) => this.text(text) ?? "");
    // A value of the same shape: only texts in it differ.
    return this.blockedBy ? null : (mapped as T);
  }

  /** A complete text, such as the input of a tool, masked and restored, also where it is JSON; null: the answer ends before it. */
  text(text: string): string | null {
    const masked = this.#masker.mask(text);
    if (this.blockedBy) return null;
    const isCut = jsonIn(masked) === undefined && OPENS_JSON.test(masked);
    const write = isCut ? inJson : undefined;
    return mapInJson(masked, (inner) => this.placeholders.restore(inner, write));
  }
}

/** A text of an answer that comes in parts: what of it may be shown, masked and restored. */
export class AnswerText {
  readonly #window: TextWindow;
  readonly #restorer: Restorer;
  /** A part of it was masked. */
  isMasked = false;

  /** `isJson`: the text is a JSON document. */
  constructor(
    private readonly rules: AnswerRules,
    placeholders: Placeholders,
    isJson: boolean,
  ) {
    this.#window = new TextWindow(rules.textDetectors);
    this.#restorer = new Restorer(placeholders, isJson ? inJson : undefined);
  }

  push(text: string): string {
    return this.#restorer.push(this.#shown(this.#window.push(text)));
  }

  /** The rest, when the text is complete or the answer ends. */
  end(): string {
    const rest = this.rules.blockedBy ? "" : this.#shown(this.#window.end());
    return this.#restorer.push(rest) + this.#restorer.end();
  }

  /** How many characters were held back at a time. */
  get longestHold(): number {
    return this.#window.longestHold;
  }

  #shown(pieces: readonly Piece[]): string {
    let shown = "";
    for (const piece of pieces) {
      const replaced = this.rules.replace(piece);
      if (!replaced) return shown;
      this.isMasked ||= replaced.isMasked;
      shown += replaced.text;
    }
    return shown;
  }
}
