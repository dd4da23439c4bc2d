import type { Changes } from "../../../../db/changes.ts";
import type { Logger } from "../../../lib/runtime/log.ts";
import { SUBJECTS, type Subject } from "../../subject.ts";

/** Long enough for any process that lives, short enough for a call that waits. */
const COLLECT_WITHIN_MS = 900;
/** A message's ids may have 7000 bytes; an entry with both balances takes 40 at most. */
const ENTRIES_PER_MESSAGE = 150;

export type AccountKey = Readonly<{ subject: Subject; id: number }>;
export type KnownBalance = AccountKey & Readonly<{ quota: number; held: number }>;

type Parts = Readonly<{
  changes: Pick<Changes, "subscribe" | "publish">;
  processId: string;
  /** Live processes on this database, this one included. */
  liveProcesses(): number;
  log: Logger;
}>;

type Handlers = Readonly<{
  /** Gives back what this process has set aside of these accounts and does not use. Resolves when it is done. */
  giveBack(accounts: readonly AccountKey[]): Promise<void>;
  /** Another process settled charges: the balances afterwards. */
  learn(balances: readonly KnownBalance[]): void;
  /** A process joined or left. */
  onMembership(): void;
}>;

type Round = { missing: number; readonly done: () => void };

/**
 * What the gateway's processes say to each other about balances, over the change feed. A message is one text: its kind, the
 * sender, and fields, separated by blanks.
 */
export class Peers {
  readonly #rounds = new Map<number, Round>();
  #nextRound = 1;
  readonly #unsubscribe: () => void;

  constructor(
    private readonly parts: Parts,
    private readonly handlers: Handlers,
  ) {
    this.#unsubscribe = parts.changes.subscribe("ledger", (messages) => {
      for (const message of messages) this.#receive(String(message));
    });
  }

  get hasOthers(): boolean {
    return this.parts.liveProcesses() > 1;
  }

  /** Asks the others to give back what they don't use of these accounts. Resolves when all have, or after a second. */
  async collect(accounts: readonly AccountKey[]): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const number = this.#nextRound++;
    const parts = inParts(accounts.map(keyText));
    const others = this.parts.liveProcesses() - 1;
    this.#rounds.set(number, { missing: others * parts.length, done: resolve });
    const timer = setTimeout(resolve, COLLECT_WITHIN_MS);
    for (const part of parts) void this.#send("collect", number, ...part);
    await promise;
    clearTimeout(timer);
    this.#rounds.delete(number);
  }

  /** Says which balances charges have left. */
  publishBalances(balances: readonly KnownBalance[]): void {
    const entries = balances.map(({ quota, held, ...key }) => `${keyText(key)}:${quota}:${held}`);
    for (const part of inParts(entries)) void this.#send("balances", ...part);
  }

  /** Says that this process has joined or is about to leave. */
  async announce(event: "joined" | "left"): Promise<void> {
    await this.#send(event);
  }

  close(): void {
    this.#unsubscribe();
  }

  async #send(kind: string, ...fields: readonly (string | number)[]): Promise<void> {
    const { changes, processId, log } = this.parts;
    try {
      await changes.publish("ledger", [[kind, processId, ...fields].join(" ")]);
    } catch (error) {
      log.warn({ error, kind }, "the other processes could not be notified");
    }
  }

  #receive(message: string): void {
    const [kind, sender, ...fields] = message.split(" ");
    if (sender === this.parts.processId) return;
    if (kind === "collect" && sender) void this.#giveBack(sender, fields);
    else if (kind === "collected") this.#countReply(fields);
    else if (kind === "balances") this.handlers.learn(fields.map(readBalance).filter((entry) => entry !== null));
    else if (kind === "joined" || kind === "left") this.handlers.onMembership();
  }

  async #giveBack(sender: string, [round = "", ...keys]: readonly string[]): Promise<void> {
    await this.handlers.giveBack(keys.map(readKey).filter((key) => key !== null));
    await this.#send("collected", sender, round);
  }

  #countReply([receiver, number]: readonly string[]): void {
    if (receiver !== this.parts.processId) return;
    const round = this.#rounds.get(Number(number));
    if (!round) return;
    round.missing -= 1;
    if (round.missing <= 0) round.done();
  }
}

const LETTERS: Readonly<Record<Subject, string>> = { user: "u", token: "t", budget: "b" };
const keyText = ({ subject, id }: AccountKey): string => `${LETTERS[subject]}${id}`;

function readKey(text: string): AccountKey | null {
  const id = Number(text.slice(1));
  if (!Number.isSafeInteger(id) || id <= 0) return null;
  const subject = SUBJECTS.find((one) => text.startsWith(LETTERS[one]));
  return subject ? { subject, id } : null;
}

function readBalance(text: string): KnownBalance | null {
  const [keyPart = "", quotaPart, heldPart] = text.split(":");
  const key = readKey(keyPart);
  const [quota, held] = [Number(quotaPart), Number(heldPart)];
  return key && Number.isSafeInteger(quota) && Number.isSafeInteger(held) ? { ...key, quota, held } : null;
}

function inParts(entries: readonly string[]): string[][] {
  const parts: string[][] = [];
  for (let from = 0; from < entries.length; from += ENTRIES_PER_MESSAGE) {
    parts.push(entries.slice(from, from + ENTRIES_PER_MESSAGE));
  }
  return parts;
}
