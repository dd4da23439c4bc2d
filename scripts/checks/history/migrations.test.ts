import { describe, expect, test } from "bun:test";
import { checkMigrations, readMigrationFiles } from "./migrations.ts";

const FIRST = { path: "0000.sql", time: 100, sql: `create table "users" ("id" integer);` };
const RELEASES = [
  { version: "0.1.0", migration: 100, commit: "a" },
  { version: "0.2.0", migration: 200, commit: "b" },
];
const problemsOf = (sql: string, releases = RELEASES) =>
  checkMigrations([FIRST, { path: "0001.sql", time: 300, sql }], releases).problems;

test("the project's own migrations leave the last release working", async () => {
  const { files, releases } = await readMigrationFiles();
  expect(files[0]?.time).toBeGreaterThan(0);
  expect(checkMigrations(files, releases).problems).toEqual([]);
});

describe("adding is right", () => {
  test.each([
    `create table "pets" ("id" integer not null);--> statement-breakpoint
     create unique index "pets_key" on "pets" using btree ("id");--> statement-breakpoint
     alter table "pets" add constraint "x" foreign key ("id") references "public"."users"("id");`,
    `alter table "users" add column "age" integer;--> statement-breakpoint
     update "users" set "age" = 1 where id > 3;--> statement-breakpoint
     alter table "users" alter column "age" set not null;`,
    `alter table "users" add column "age" integer default 0 not null;`,
    `create index "users_age" on "users" using btree ("age");`,
    `alter table "users" alter column "name" drop not null;`,
  ])("%s", (sql) => {
    expect(problemsOf(sql)).toEqual([]);
  });
});

describe("what breaks the last release is refused", () => {
  test.each([
    ['drop table "users";', "drops a table: users"],
    ['alter table "users" drop column "name";', "drops a column: users"],
    ['ALTER TABLE "users" RENAME COLUMN "name" TO "title";', "renames: users"],
    ['alter table "users" alter column "id" set data type bigint;', "changes the type of a column: users"],
    ['alter table "users" alter column "name" set not null;', "forbids null: users"],
    ['alter table "users" add column "age" integer not null;', "adds users.age, which has no default"],
    ['alter table "users" add constraint "c" check ("id" > 0);', "changes a constraint: users"],
    ['create unique index "users_name" on "users" using btree ("name");', "forbids equal rows: users"],
    ['drop index "users_key";', "drops something: users_key"],
    ['update "users" set "name" = 1;', "changes rows of users"],
    ['delete from "users" where id = 1;', "deletes rows: users"],
    ['create table "pets" ("id" integer);\ndrop table "users";', "drops a table: users"],
  ])("%s", (sql, problem) => {
    const [found = "", ...others] = problemsOf(sql);
    expect(found).toContain(problem);
    expect(found).toContain("-- contract: unused since VERSION");
    expect(others).toEqual([]);
  });
});

test("it goes away in the release after the one that has left it unused, not before", () => {
  const contract = '-- contract: unused since 0.2.0\nalter table "users" drop column "name";';
  expect(problemsOf(contract)).toEqual([]);
  expect(problemsOf(contract, RELEASES.slice(0, 1))).toEqual([expect.stringContaining("0.2.0 is not released yet")]);
});

test("migrations of releases are what they are", () => {
  const old = { path: "0001.sql", time: 200, sql: 'drop table "users";' };
  expect(checkMigrations([FIRST, old], RELEASES).problems).toEqual([]);
});
