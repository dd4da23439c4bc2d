/**
 * Places that several processes of one host share: one of them, the supervisor, counts for all, because it knows which process
 * has died with its places. Questions go out in batches.
 */

/** What to do, what is limited, how many places there are, and whose. */
export type SlotQuestion = readonly [action: "enter" | "leave", name: string, count: number, key: string];

/** Asks the process that counts; resolves true when a place was taken. Rejects when that process has ended or does not answer. */
export type AskForSlot = (question: SlotQuestion) => Promise<boolean>;

/** Counts things that are under way at the same time, over all processes of the host. */
export type HostSlots = Readonly<{
  /** Takes a place of `count`; null when all are taken. While nobody counts, everybody has a place. Never rejects. */
  enter(name: string, count: number, key: string): Promise<ReleaseSlot | null>;
}>;

/** Gives a place back; to be called once. */
export type ReleaseSlot = () => void;

/** Places that the workers of one host share. */
export const createHostSlots = (ask: AskForSlot): HostSlots => ({
  async enter(name, count, key) {
    try {
      if (!(await ask(["enter", name, count, key]))) return null;
    } catch {
      return releaseNothing;
    }
    return () => void ask(["leave", name, 0, key]).catch(() => {});
  },
});

const releaseNothing: ReleaseSlot = () => {};

/** Counts for all processes of a host. */
export class SlotCounter {
  /** By name and key: how many places each process has. */
  readonly #places = new Map<string, Map<number, number>>();

  /** Answers one question of the process `from`: whether a place was taken. */
  count([action, name, count, key]: SlotQuestion, from: number): boolean {
    if (action === "enter") return this.#enter(`${name}:${key}`, count, from);
    this.#leave(`${name}:${key}`, from);
    return false;
  }

  /** A process has ended: its places are free. */
  forgetProcess(from: number): void {
    for (const [place, holders] of this.#places) {
      holders.delete(from);
      if (holders.size === 0) this.#places.delete(place);
    }
  }

  #enter(place: string, count: number, from: number): boolean {
    const holders = this.#places.get(place) ?? new Map<number, number>();
    let taken = 0;
    for (const number of holders.values()) taken += number;
    if (taken >= count) return false;
    this.#places.set(place, holders.set(from, (holders.get(from) ?? 0) + 1));
    return true;
  }

  #leave(place: string, from: number): void {
    const holders = this.#places.get(place);
    const left = (holders?.get(from) ?? 0) - 1;
    if (left > 0) holders?.set(from, left);
    else holders?.delete(from);
    if (holders?.size === 0) this.#places.delete(place);
  }
}
