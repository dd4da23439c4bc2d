import type { Usage } from "../../../formats/conversation/reply.ts";
import { type JsonObject, parseJson, recordOf } from "../../../formats/json.ts";
import { readEvents } from "../../../lib/http/sse.ts";
import { indexOfBytes, textOfBytes } from "../../../lib/values/bytes.ts";
import type { GatewayError } from "../../call/errors.ts";
import type { OutputMeter } from "../../money/output-meter.ts";
import type { OutputChunk, StreamView } from "../../upstream/adapter.ts";

const COMPACTION = Buffer.from('"compaction"');

/** A stream of Responses in which the provider may compact the conversation; `keep` receives each such item. */
export class CompactionView implements StreamView {
  constructor(
    private readonly view: StreamView,
    private readonly keep: (output: readonly JsonObject[]) => void,
  ) {}

  get meter(): OutputMeter {
    return this.view.meter;
  }

  get usage(): Usage | null {
    return this.view.usage;
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
    if (indexOfBytes(block, COMPACTION) >= 0) {
      for (const { data } of readEvents(textOfBytes(block))) {
        const event = recordOf(parseJson(data));
        const item = event?.type === "response.output_item.done" ? recordOf(event.item) : null;
        if (item) this.keep([item]);
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
