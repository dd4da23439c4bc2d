import { hasGatewayMark } from "../../../formats/conversation/signature.ts";
import { type JsonObject, recordsOf, textOf } from "../../../formats/json.ts";

/** The conversation up to a response that is not stored: the items after a stored response, or after nothing (null). */
type Conversation = Readonly<{ previous: string | null; items: readonly JsonObject[]; characters: number }>;

/** Older ones are removed: clients continue the latest response, or fork not far behind it. */
const MAX_RESPONSES = 16;

/**
 * The conversations of one connection that end in responses with `store: false`: a later turn of the connection continues
 * them by `previous_response_id`, as OpenAI's WebSocket mode has it. They share the items of earlier turns.
 */
export class ConversationHistory {
  readonly #byId = new Map<string, Conversation>();
  #characters = 0;

  /** Stores the latest responses whose conversations have at most `mostCharacters` of JSON together. */
  constructor(private readonly mostCharacters: number) {}

  /** Replaces `previous_response_id` and `input` by values that do not depend on this connection's history. */
  resolve({ previous_response_id: id, input }: JsonObject): Omit<Conversation, "characters"> | null {
    const known = this.#byId.get(textOf(id) ?? "");
    return known ? { previous: known.previous, items: [...known.items, ...itemsOf(input)] } : null;
  }

  /** Stores the conversation that a response ends. `request` must be resolved; `characters`: its length. */
  keep(request: JsonObject, response: JsonObject, characters: number): void {
    const id = textOf(response.id);
    if (id === null) return;
    const items = sinceCompaction([...itemsOf(request.input), ...recordsOf(response.output).filter(canReturn)]);
    this.#byId.set(id, { previous: textOf(request.previous_response_id), items, characters });
    this.#characters += characters;
    for (const [oldest, conversation] of this.#byId) {
      if (this.#byId.size <= MAX_RESPONSES && this.#characters <= this.mostCharacters) break;
      this.#byId.delete(oldest);
      this.#characters -= conversation.characters;
    }
  }
}

const itemsOf = (input: unknown): readonly JsonObject[] =>
  typeof input === "string" ? [{ type: "message", role: "user", content: input }] : recordsOf(input);

/**
 * Whether an item can be sent back: a provider cannot look up reasoning that it did not store, unless the item contains
 * it.
 */
const canReturn = ({ type, id, encrypted_content: sealed }: JsonObject): boolean =>
  type !== "reasoning" || Boolean(sealed) || hasGatewayMark(textOf(id) ?? "");

/** A compaction that the request asked for stands for everything before it. */
function sinceCompaction(items: readonly JsonObject[]): readonly JsonObject[] {
  const at = items.findLastIndex(({ type }) => type === "compaction");
  return at > 0 && items[at - 1]?.type === "compaction_trigger" ? items.slice(at) : items;
}
