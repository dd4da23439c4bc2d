import type { ChannelEntry } from "../../channels/entry.ts";
import { type JsonObject, parseJson, recordOf } from "../../dialects/json.ts";
import { isErrorAnswer, readError } from "../../dialects/openai-chat/error.ts";
import { textOfBytes } from "../../lib/bytes.ts";
import type { ImageFormat } from "../../providers/images/image-format.ts";
import type { Provider } from "../../providers/provider.ts";
import type { Call } from "../call.ts";
import { OutputTally } from "../tally.ts";
import { answerAsEvents, EventsView } from "./events-view.ts";
import { type EncodedRequest, type Passage, type StreamView, UNKNOWN_FAILURE, type WholeAnswer } from "./passage.ts";

const FIRST_WAIT_MS = 500;
const LONGEST_WAIT_MS = 3_000;
const GIVE_UP_MS = 300_000;

/** Orders of pictures for a provider that has words of its own for them; jobs are waited for. */
export class ImagesPassage implements Passage {
  readonly readError = readError;

  constructor(
    private readonly call: Call,
    private readonly channel: ChannelEntry,
    private readonly provider: Provider,
    private readonly format: ImageFormat,
    private readonly key: string,
  ) {}

  encode(channel: ChannelEntry): EncodedRequest {
    const { body } = this.call.admitted;
    const model = this.call.upstreamModel;
    const dialect = this.provider.dialectOf?.(model, this.key) ?? this.provider.dialects[0];
    const order = { ...this.format.encode(body.json, model), ...channel.paramOverride };
    return { ask: { capability: "images", dialect, model, stream: false }, body: JSON.stringify(order) };
  }

  /** Asks for a job until it is over; the answer that says so. */
  async follow(
    body: Uint8Array<ArrayBuffer>,
    ask: (url: string) => Promise<Uint8Array<ArrayBuffer>>,
  ): Promise<Uint8Array<ArrayBuffer>> {
    const { format, channel } = this;
    let answer = body;
    const until = performance.now() + GIVE_UP_MS;
    for (let waitMs = FIRST_WAIT_MS; performance.now() < until; waitMs = Math.min(LONGEST_WAIT_MS, waitMs * 1.5)) {
      const told = answerOf(answer);
      const next = told && format.pending?.(channel, told);
      if (!next) break;
      await Bun.sleep(waitMs);
      answer = await ask(next);
    }
    return answer;
  }

  errorIn(body: Uint8Array<ArrayBuffer>): string | null {
    const answer = answerOf(body);
    if (!answer) return null;
    if (isErrorAnswer(answer)) return textOfBytes(body);
    const failure = this.format.failure?.(answer);
    return failure ? JSON.stringify({ error: { ...failure, type: "upstream_error", param: null } }) : null;
  }

  errorInEvents(): string | null {
    return null;
  }

  statusOf(): number {
    return UNKNOWN_FAILURE;
  }

  whole(body: Uint8Array<ArrayBuffer>): WholeAnswer | null {
    const answer = this.#decode(body);
    return answer && this.#answered(answer, JSON.stringify(answer), "application/json");
  }

  wholeAsStream(body: Uint8Array<ArrayBuffer>): WholeAnswer | null {
    const answer = this.#decode(body);
    return answer && this.#answered(answer, answerAsEvents("images", answer), "text/event-stream; charset=utf-8");
  }

  view(): StreamView {
    return new EventsView(() => null);
  }

  #decode(body: Uint8Array<ArrayBuffer>): JsonObject | null {
    const answer = answerOf(body);
    const decoded = answer && this.format.decode(answer);
    return decoded && { ...decoded, created: this.call.createdAt };
  }

  #answered(answer: JsonObject, body: string, contentType: string): WholeAnswer {
    const { admitted } = this.call;
    const tally = new OutputTally();
    tally.other();
    return { body, contentType, reported: admitted.endpoint.meter?.(admitted, answer) ?? null, tally };
  }
}

const answerOf = (body: Uint8Array<ArrayBuffer>): JsonObject | null => recordOf(parseJson(textOfBytes(body)));
