import type { Changes } from "../../../../../db/changes.ts";
import { type JsonObject, parseJson, recordOf } from "../../../../formats/json.ts";
import type { Vault } from "../../../../lib/security/crypto.ts";
import { recentEntries } from "../../../../lib/values/tables/recent-entries.ts";
import { type SessionOwner, sessionKeyOf } from "../sessions.ts";

/** Open at the same time in one process: of one session, and of one account. */
const [MAX_OF_SESSION, MAX_OF_ACCOUNT] = [16, 256];
/** Of one answer, in UTF-16 code units of its JSON. */
const MAX_ANSWER_LENGTH = 1_048_576;
/** What is passed on to other processes in one piece. */
const PART_LENGTH = 6_000;
/** How long the parts of an answer may take to arrive. */
const PARTS_WITHIN_MS = 10_000;
const [MAX_REMEMBERED, LEVEL_FOR_MS] = [10_000, 3_600_000];
const ID = /^q([0-9a-f-]{36})\.(\d{1,12})\.([0-9a-f]{32})$/;

type Question = Readonly<{ id: string; resolve(message: JsonObject): void }>;

/** Why a question is not put. */
export class TooManyQuestionsError extends Error {
  override name = "TooManyQuestionsError";
}

/**
 * Questions that servers have put to clients, in this process, and the messages of clients about calls: answers, cancellations, levels of
 * logging. Such a message may arrive at another process than the one that holds the call's stream, so what nobody waits for here goes to all
 * of them as a change does. The id of a question is signed for the session that has it, and says until when: an answer of anybody
 * else, or a late one, goes nowhere.
 */
export class Questions {
  readonly #open = new Map<string, Question>();
  /** How many are open of accounts and sessions. */
  readonly #counts = new Map<string, number>();
  /** What cancels a call, by its client's id. */
  readonly #calls = new Map<string, () => void>();
  readonly #levels = recentEntries<string, string>(MAX_REMEMBERED, LEVEL_FOR_MS);
  /** Sessions whose level was requested of the other processes, which may have started earlier. */
  readonly #levelRequests = recentEntries<string, true>(MAX_REMEMBERED, LEVEL_FOR_MS);
  /** Answers that were passed on: each is once. */
  readonly #passedOn = recentEntries<string, true>(MAX_REMEMBERED);
  readonly #parts = recentEntries<string, string[]>(MAX_OF_ACCOUNT, PARTS_WITHIN_MS);

  /** `changes` absent: there is no other process. */
  constructor(
    private readonly vault: Pick<Vault, "decrypt" | "encrypt" | "keyedHash">,
    private readonly changes: Pick<Changes, "publish" | "subscribe"> | undefined,
    private readonly now: () => number = Date.now,
  ) {
    changes?.subscribe("mcp", (messages) => {
      for (const message of messages) this.#receivePassedOn(String(message));
    });
  }

  /**
   * Puts a question to a client with `send` and resolves with the response, a result or an error. Rejects TooManyQuestionsError, or the reason
   * of `signal`.
   */
  async ask(
    owner: SessionOwner,
    sessionId: string,
    { withinMs, signal, send }: Readonly<{ withinMs: number; signal: AbortSignal; send(id: string): Promise<void> }>,
  ): Promise<JsonObject> {
    signal.throwIfAborted();
    const session = sessionKeyOf(owner, sessionId);
    const account = String(owner.user.id);
    if (this.#count(session) >= MAX_OF_SESSION || this.#count(account) >= MAX_OF_ACCOUNT)
      throw new TooManyQuestionsError();
    const key = crypto.randomUUID();
    const id = this.#idOf(key, Math.ceil((this.now() + withinMs) / 1000), session);
    const { promise, resolve, reject } = Promise.withResolvers<JsonObject>();
    const end = () => reject(signal.reason);
    this.#open.set(key, { id, resolve });
    for (const each of [session, account]) this.#counts.set(each, this.#count(each) + 1);
    signal.addEventListener("abort", end, { once: true });
    try {
      await send(id);
      return await promise;
    } finally {
      signal.removeEventListener("abort", end);
      this.#open.delete(key);
      this.#parts.delete(key);
      for (const each of [session, account]) {
        const left = this.#count(each) - 1;
        if (left > 0) this.#counts.set(each, left);
        else this.#counts.delete(each);
      }
    }
  }

  /** A client's response to a question; one to no question of its session is ignored. */
  answer(owner: SessionOwner, session: string, { id, result, error }: JsonObject): void {
    const [, key = "", until = ""] = (typeof id === "string" && ID.exec(id)) || [];
    if (id !== this.#idOf(key, Number(until), sessionKeyOf(owner, session))) return;
    if (Number(until) * 1000 < this.now()) return;
    const message = { id, ...(error === undefined ? { result } : { error }) };
    const question = this.#open.get(key);
    if (question) question.resolve(message);
    if (question || !this.changes || this.#passedOn.has(key)) return;
    const text = JSON.stringify(message);
    if (text.length > MAX_ANSWER_LENGTH) return;
    this.#passedOn.set(key, true);
    const cipher = this.vault.encrypt(text);
    const count = Math.ceil(cipher.length / PART_LENGTH);
    const parts = Array.from({ length: count }, (_, at) =>
      ["a", key, at, count, cipher.slice(at * PART_LENGTH, (at + 1) * PART_LENGTH)].join(" "),
    );
    void this.changes.publish("mcp", parts);
  }

  /** A call begins that its client may cancel by its id; returns the function that ends it. */
  begin(owner: SessionOwner, session: string, requestId: unknown, cancel: () => void): () => void {
    // Clients without a session may have the same ids.
    if (session === "") return () => {};
    const call = this.#callOf(owner, session, requestId);
    this.#calls.set(call, cancel);
    return () => {
      if (this.#calls.get(call) === cancel) this.#calls.delete(call);
    };
  }

  /** Cancels a call of a client's session here; `passesOn`: at other processes, if there is none here. */
  cancel(owner: SessionOwner, session: string, requestId: unknown): Readonly<{ isHere: boolean; passOn(): void }> {
    const call = this.#callOf(owner, session, requestId);
    const cancel = this.#calls.get(call);
    cancel?.();
    return {
      isHere: cancel !== undefined || !this.changes,
      passOn: () => void this.changes?.publish("mcp", [`c ${call}`]),
    };
  }

  /**
   * The least severe log messages that a client wants in this session; null: it has not said, as far as this process knows. Another one may
   * know it, and says so soon.
   */
  levelOf(owner: SessionOwner, session: string): string | null {
    if (session === "") return null;
    const key = this.#hashOf(owner, session);
    const level = this.#levels.get(key, { updateAgeOnGet: true }) ?? null;
    if (level !== null || !this.changes || this.#levelRequests.has(key)) return level;
    this.#levelRequests.set(key, true);
    void this.changes.publish("mcp", [`g ${key}`]);
    return null;
  }

  setLevel(owner: SessionOwner, session: string, level: string): void {
    if (session === "") return;
    const key = this.#hashOf(owner, session);
    this.#levels.set(key, level);
    void this.changes?.publish("mcp", [`l ${key} ${level}`]);
  }

  #count = (of: string): number => this.#counts.get(of) ?? 0;

  #receivePassedOn(message: string): void {
    const [kind, key = "", ...rest] = message.split(" ");
    if (kind === "c") this.#calls.get(key)?.();
    else if (kind === "l") this.#levels.set(key, rest[0] ?? "");
    else if (kind === "g") this.#sayLevel(key);
    else if (kind === "a" && this.#open.has(key))
      this.#receivePart(key, Number(rest[0]), Number(rest[1]), rest[2] ?? "");
  }

  #sayLevel(key: string): void {
    const level = this.#levels.get(key, { updateAgeOnGet: true });
    if (level !== undefined) void this.changes?.publish("mcp", [`l ${key} ${level}`]);
  }

  #receivePart(key: string, at: number, count: number, part: string): void {
    const parts = this.#parts.get(key) ?? [];
    parts[at] = part;
    this.#parts.set(key, parts);
    if (parts.filter((each) => each !== undefined).length < count) return;
    this.#parts.delete(key);
    const message = recordOf(parseJson(this.vault.decrypt(parts.join(""))));
    const question = this.#open.get(key);
    if (message && question && message.id === question.id) question.resolve(message);
  }

  #idOf(key: string, until: number, sessionKey: string): string {
    const mac = this.vault.keyedHash(`mcp question ${key} ${until} ${sessionKey}`).slice(0, 32);
    return `q${key}.${until}.${mac}`;
  }

  #callOf = (owner: SessionOwner, session: string, requestId: unknown): string =>
    this.vault.keyedHash(`mcp call ${JSON.stringify(requestId)} ${sessionKeyOf(owner, session)}`).slice(0, 32);

  #hashOf = (owner: SessionOwner, session: string): string =>
    this.vault.keyedHash(`mcp session ${sessionKeyOf(owner, session)}`).slice(0, 32);
}
