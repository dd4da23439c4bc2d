import { afterAll, beforeAll, expect, test } from "bun:test";
import { openTestDatabase, type TestDatabase } from "../../../test/support/database.ts";
import { readLogs } from "./list/list-logs.ts";
import { notesHaveVerdict, type VerdictFilter } from "./log-filter.ts";

type Verdict = Readonly<{ name: string; kind: string; action: string; shadow?: true }>;

const PII: Verdict = { name: "pii", kind: "personal_data", action: "mask" };
const WORDS: Verdict = { name: 'words, of "legal"', kind: "words", action: "block" };
const TRIAL: Verdict = { ...WORDS, name: "trial", shadow: true };
const CALLS: readonly (readonly Verdict[])[] = [[PII], [WORDS], [PII, TRIAL], [TRIAL], []];

const notesOf = (verdicts: readonly Verdict[]): string =>
  JSON.stringify(verdicts.length > 0 ? { guardrails: { verdicts } } : { note: "\u00fc" });

let database: TestDatabase;
beforeAll(async () => {
  database = await openTestDatabase();
  for (const [at, verdicts] of CALLS.entries()) {
    const tags = verdicts.flatMap(({ name, action, shadow }) => [
      `guardrail:${shadow ? "shadow" : action}`,
      `guardrail:${name}`,
    ]);
    await database.sql`insert into logs (created_at, type, user_id, quota, content, other, tags) values
      (${1_700_000_000 + at}, 2, 1, 1, '', ${notesOf(verdicts)}, ${tags.length > 0 ? tags : null})`;
  }
  // Notes that are no JSON are nobody's verdict, and keep no list from being read.
  await database.sql`insert into logs (created_at, type, user_id, quota, content, other) values (1, 2, 1, 1, '', 'no')`;
});
afterAll(() => database.close());

test.each<[VerdictFilter, number[]]>([
  [{ name: "pii" }, [0, 2]],
  [{ name: WORDS.name }, [1]],
  [{ action: "block" }, [1, 2, 3]],
  [{ action: "block", isShadow: false }, [1]],
  [{ action: "block", isShadow: true }, [2, 3]],
  [{ isShadow: true }, [2, 3]],
  [{ kind: "personal_data" }, [0, 2]],
  [{ kind: "words", isShadow: false }, [1]],
  // Of one verdict, not of several together.
  [{ name: "pii", action: "block" }, []],
  [{ name: "pii", isShadow: true }, []],
  [{ name: "none' || 'x" }, []],
])("calls with the verdict %j, in the database and in an archive", async (verdict, expected) => {
  const rows = await readLogs(database.db, { verdict }, { page: 0, pageSize: 10 }, "admin");
  expect(rows.map((row) => row.created_at - 1_700_000_000).sort()).toEqual(expected);
  const archived = CALLS.flatMap((verdicts, at) => (notesHaveVerdict(verdict, notesOf(verdicts)) ? [at] : []));
  expect(archived).toEqual(expected);
});
