import { type JsonObject, recordOf, textOf } from "../../dialects/json.ts";
import type { RelayContext } from "../context.ts";
import { RelayError } from "../errors.ts";
import { refuseSensitive } from "../sensitive.ts";
import { errorEvent } from "./error-event.ts";
import type { Frame } from "./pipe.ts";
import { SpokenWords } from "./spoken-words.ts";
import { toldBy } from "./told-texts.ts";

/** What of an upstream's frame goes to the client, and what back to the upstream. */
type Told = Readonly<{ toClient: readonly Frame[]; toUpstream: Frame | null }>;

/** The id of the gateway's own event that ends a response. */
const STOP_ID = "evt_not_allowed";

/** Keeps a talk, both ways, to the words that the site allows. */
export class TalkWords {
  readonly #spoken: SpokenWords;

  constructor(
    private readonly context: RelayContext,
    private readonly requestId: string,
  ) {
    this.#spoken = new SpokenWords(context.services.settings);
  }

  /** What a client is told whose event has words that are not allowed: it goes no further. Null: it may go on. */
  refusalOf(event: JsonObject): Frame | null {
    try {
      refuseSensitive(this.context.services.settings, toldBy(event));
      return null;
    } catch (error) {
      if (!(error instanceof RelayError)) throw error;
      this.context.metrics.refused(error.status);
      return JSON.stringify(errorEvent(error, this.requestId, textOf(event.event_id)));
    }
  }

  /** What becomes of a frame of the upstream; `event` null: it is none. */
  told(frame: Frame, event: JsonObject | null): Told {
    // An upstream refuses to end what is over: nobody but the gateway asked for it.
    if (event?.type === "error" && recordOf(event.error)?.event_id === STOP_ID)
      return { toClient: [], toUpstream: null };
    const passed = event && this.#spoken.pass(event);
    if (!passed) return { toClient: [frame], toUpstream: null };
    const { events, cancel } = passed;
    const stop = cancel === null ? null : { type: "response.cancel", event_id: STOP_ID, response_id: cancel };
    return { toClient: events.map((told) => JSON.stringify(told)), toUpstream: stop && JSON.stringify(stop) };
  }
}
