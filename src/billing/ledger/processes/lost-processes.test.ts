/** What becomes of processes that died; that the statements find them is tested on the engines. */
import { describe, expect, test } from "bun:test";
import type { Sql } from "../../../../db/types.ts";
import { silentLog } from "../../../../test/support/billing/start-billing.ts";
import type { CopyResult } from "../../journal/copy/take-copies.ts";
import { describeLostJournal, forgetLostJournal, type LostJournal, LostProcesses } from "./lost-processes.ts";

type Dead = LostJournal & { recentCharges: number; expiredForSeconds: number };
const dead = (processId: string, more: Partial<Dead> = {}): Dead => ({
  ...{ processId, location: "host:/data", lastSeenAt: 1_700_000_000, unwritten: 0, unwrittenSince: null },
  ...{ journalCopy: "none", recentCharges: 0, expiredForSeconds: 30, ...more },
});

type Options = Readonly<{
  expired?: readonly Dead[];
  living?: readonly string[];
  /** What others have in Redis, and what became of it; null: there is no Redis. */
  copies?: Readonly<Record<string, CopyResult>> | null;
  lost?: readonly LostJournal[];
}>;

function open({ expired = [], living = [], copies = null, lost = [] }: Options = {}) {
  const events: string[] = [];
  const journals = [...lost];
  const state = { fails: "" };
  const run = async (text: string, values: readonly unknown[]): Promise<unknown[]> => {
    if (text.includes("delete from lost_journals")) {
      const at = journals.findIndex(({ processId }) => processId === values[0]);
      if (at >= 0) journals.splice(at, 1);
      events.push(`forget loss of ${values[0]}`);
      return at >= 0 ? [{}] : [];
    }
    if (text.includes("insert into lost_journals")) {
      const found = expired.find(({ processId }) => processId === values[0]);
      if (found) journals.push(found);
      return [];
    }
    if (text.includes("from lost_journals")) return [...journals];
    if (text.includes("recent_charges as")) return [...expired];
    if (text.includes("dead as materialized")) {
      events.push(`release ${(values[0] as string[]).join(",")}`);
      return [];
    }
    return living.map((id) => ({ id }));
  };
  const sql = (text: TemplateStringsArray, ...values: unknown[]) => run(text.join(" "), values);
  const processes = new LostProcesses({
    sql: Object.assign(sql, { begin: (work: (tx: unknown) => unknown) => work(sql) }) as unknown as Sql,
    ...{ processId: "me", log: silentLog },
    copies:
      copies &&
      ({
        list: async () => {
          if (state.fails === "list") throw new Error("redis is away");
          return Object.keys(copies);
        },
        take: async (id: string) => {
          events.push(`take ${id}`);
          return copies[id] ?? "taken";
        },
        forget: async (id: string) => {
          if (state.fails === "forget") throw new Error("redis is away");
          events.push(`forget copy of ${id}`);
        },
      } as never),
    sinkFor: () => ({}) as never,
    adoptDirectories: async () => {
      events.push("adopt");
      if (state.fails === "adopt") throw new Error("no folder");
    },
    onChanged: async () => void events.push("changed"),
    onLost: ({ processId }) => void events.push(`lost ${processId}`),
  });
  return { processes, events, state, journals };
}

describe("a search", () => {
  test("adopts folders, and changes nothing where nobody has died", async () => {
    const { processes, events } = open();
    await processes.search();
    expect([events, processes.lost]).toEqual([["adopt"], []]);
  });

  test("releases what the dead held, and tells of those that may have lost charges", async () => {
    const expired = [
      dead("quiet"),
      dead("unwritten", { unwritten: 1 }),
      dead("busy", { recentCharges: 1 }),
      dead("late", { expiredForSeconds: 31 }),
      dead("silent", { location: "", unwritten: 5, recentCharges: 5, expiredForSeconds: 99 }),
    ];
    const { processes, events } = open({ expired });
    await processes.search();
    expect(events).toEqual([
      "adopt",
      "release quiet,unwritten,busy,late,silent",
      ...["lost unwritten", "lost busy", "lost late"],
      "changed",
    ]);
    expect(processes.lost.map(({ processId }) => processId)).toEqual(["unwritten", "busy", "late"]);
  });

  test("takes from Redis what the dead have there; nothing of a complete copy is lost", async () => {
    const expired = [
      dead("complete", { unwritten: 3, journalCopy: "complete" }),
      dead("partial", { unwritten: 3, journalCopy: "partial" as never }),
      dead("absent", { unwritten: 3, journalCopy: "complete" }),
    ];
    const copies = { me: "taken", complete: "taken", partial: "taken", alive: "taken" } as never;
    const { processes, events } = open({ expired, copies, living: ["alive"] });
    await processes.search();
    expect(events).toEqual([
      ...["adopt", "take complete", "take partial", "release complete,partial,absent"],
      ...["lost partial", "lost absent", "forget copy of complete", "forget copy of partial", "changed"],
    ]);
  });

  test("forgets a loss that Redis has made good since", async () => {
    const lost = [dead("back", { journalCopy: "complete" }), dead("partial", { journalCopy: "partial" as never })];
    const copies = { back: "taken", partial: "taken", other: "taken" } as never;
    const { processes, events, journals } = open({ lost, copies });
    await processes.search();
    expect(events.filter((event) => event.startsWith("forget loss"))).toEqual(["forget loss of back"]);
    expect([journals.map(({ processId }) => processId), processes.lost.length]).toEqual([["partial"], 1]);
    expect(events.at(-1)).toBe("changed");
    const incomplete = open({ lost: [dead("back", { journalCopy: "complete" })], copies: { back: "broken" } as never });
    await incomplete.processes.search();
    expect(incomplete.journals).toHaveLength(1);
  });

  test("goes on where Redis is away, and never rejects", async () => {
    for (const fails of ["list", "forget"]) {
      const { processes, events, state } = open({
        expired: [dead("a", { unwritten: 1 })],
        copies: { b: "taken" } as never,
      });
      state.fails = fails;
      await processes.search();
      expect(events).toContain("lost a");
      expect(events).toContain("release a");
    }
    const { processes, events, state } = open({ expired: [dead("a")] });
    state.fails = "adopt";
    await processes.search();
    expect(events).toEqual(["adopt"]);
    state.fails = "";
    await processes.search();
    expect(events).toContain("release a");
  });

  test("is one at a time", async () => {
    const { processes, events } = open();
    await Promise.all([processes.search(), processes.search()]);
    expect(events).toEqual(["adopt"]);
    await processes.search();
    expect(events).toEqual(["adopt", "adopt"]);
  });
});

test("a loss is forgotten once, and described without its place", async () => {
  const { processes, journals } = open({ lost: [dead("a")] });
  await processes.refresh();
  expect(processes.lost).toHaveLength(1);
  const sql = (async (text: TemplateStringsArray) =>
    text.join("").includes("delete") ? journals.splice(0, 1) : []) as unknown as Sql;
  expect([await forgetLostJournal(sql, "a"), await forgetLostJournal(sql, "a")]).toEqual([true, false]);
  expect(describeLostJournal(dead("a", { unwritten: 2, unwrittenSince: 1_699_999_000 }))).toBe(
    "process a died with 2 unwritten charges since 2023-11-14T21:56:40Z (last seen 2023-11-14T22:13:20Z)",
  );
  expect(describeLostJournal(dead("a", { unwritten: 1 }))).toContain("with 1 unwritten charges (last seen");
  expect(describeLostJournal(dead("a"))).toContain("with charges that may be unwritten (last seen");
});
