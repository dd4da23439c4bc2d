import type { Usage } from "../../../formats/conversation/reply.ts";
import { type JsonObject, parseJson, recordOf } from "../../../formats/json.ts";
import { readEvents } from "../../../lib/http/sse.ts";
import { indexOfBytes, textOfBytes } from "../../../lib/values/bytes.ts";
import type { GatewayError } from "../../call/errors.ts";
import { OutputMeter } from "../../money/output-meter.ts";
import type { OutputChunk, StreamView } from "../../upstream/adapter.ts";
import { isFinal } from "../objects/store.ts";

/**
 * Passes the stream of a background response through. The call itself has no usage: the response is charged once it is
 * complete. `over` receives it then, so that a client that retrieves it later finds it charged.
 */
export class BackgroundView implements StreamView {
  readonly meter = new OutputMeter();
  readonly usage = null;

  /** In every event that contains the complete response. */
  readonly #memberBytes: Buffer;

  constructor(
    private readonly view: StreamView,
    /** The member of events that contains the response. */
    private readonly member: string,
    private readonly over: (response: JsonObject) => void,
  ) {
    this.#memberBytes = Buffer.from(`"${member}"`);
  }

  get failed(): string | null {
    return this.view.failed;
  }

  get ended(): boolean {
    return this.view.ended;
  }

  get finished(): boolean {
    return this.view.finished;
  }

  take(block: Buffer): OutputChunk {
    if (indexOfBytes(block, this.#memberBytes) >= 0) {
      for (const { data } of readEvents(textOfBytes(block))) {
        const response = recordOf(recordOf(parseJson(data))?.[this.member]);
        if (response && isFinal(response)) this.over(response);
      }
    }
    return this.view.take(block);
  }

  close(last: OutputChunk, billed: Usage): OutputChunk {
    return this.view.close(last, billed);
  }

  broken(error: GatewayError, requestId: string): OutputChunk {
    return this.view.broken(error, requestId);
  }
}
