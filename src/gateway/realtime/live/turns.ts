import { type JsonObject, recordOf } from "../../../formats/json.ts";
import type { Charge } from "../metering/billing.ts";
import { LiveMeter } from "./meter.ts";

/** The turns of a session and what each costs: by what Google reports, which may come after its end, else counted. */
export class LiveTurns {
  readonly #meter = new LiveMeter();
  /** `performance.now()` when the turn in progress began; null: none is. */
  #startedAtMs: number | null = null;
  /** A turn has ended whose usage has not been reported. */
  #awaitsReport = false;

  get isBusy(): boolean {
    return this.#startedAtMs !== null;
  }

  /** Takes a message to the model. */
  client(message: JsonObject): void {
    this.#meter.client(message);
  }

  /** Takes a message of the model; returns the charge of a turn whose cost is known now. */
  upstream(message: JsonObject): Charge | null {
    const content = recordOf(message.serverContent);
    const begins = content?.modelTurn !== undefined || message.toolCall !== undefined;
    // The usage of the turn before never came: what it made is counted.
    const unreported = begins && this.#awaitsReport ? this.#charge() : null;
    this.#meter.upstream(message);
    if (this.#meter.hasOutput) this.#startedAtMs ??= performance.now();
    return unreported ?? this.#settle(endsTurn(message));
  }

  /** What nobody has been charged for; null: nothing. */
  rest(): Omit<Charge, "ending"> | null {
    return this.#meter.hasReport || this.#meter.hasOutput ? this.#take() : null;
  }

  #settle(isOver: boolean): Charge | null {
    if ((isOver || this.#awaitsReport) && this.#meter.hasReport) return this.#charge();
    if (isOver && this.#meter.hasOutput) this.#awaitsReport = true;
    return null;
  }

  #charge(): Charge {
    return { ...this.#take(), ending: "complete" };
  }

  #take(): Omit<Charge, "ending"> {
    const startedAtMs = this.#startedAtMs ?? performance.now();
    this.#startedAtMs = null;
    this.#awaitsReport = false;
    return { ...this.#meter.take(), startedAtMs };
  }
}

/** Whether a message ends a turn: a call of a function is a step of its own. */
export const endsTurn = (message: JsonObject): boolean =>
  recordOf(message.serverContent)?.turnComplete === true || message.toolCall !== undefined;

/** A message with the names of the Gemini API where the host's differ: `names` has the new ones. */
export function withUsageNames(message: JsonObject, names: Readonly<Record<string, string>>): JsonObject | null {
  const usage = recordOf(message.usageMetadata);
  if (!usage) return null;
  const renamed = Object.fromEntries(Object.entries(usage).map(([name, value]) => [names[name] ?? name, value]));
  return { ...message, usageMetadata: renamed };
}
