import { expect, test } from "bun:test";
import { applyPatch } from "./patch.ts";

const USER = {
  userName: "a",
  active: true,
  name: { givenName: "A" },
  emails: [
    { type: "work", value: "a@example.com" },
    { type: "home", value: "b@example.com" },
  ],
};
const patch = (...operations: Parameters<typeof applyPatch>[1]) => applyPatch(USER, operations);

test("replaces, adds and removes by path, whatever case operations and names have", () => {
  expect(patch({ op: "Replace", path: "Active", value: false })).toMatchObject({ active: false });
  expect(patch({ op: "add", path: "name.familyName", value: "B" }).name).toEqual({ givenName: "A", familyName: "B" });
  expect(patch({ op: "remove", path: "name.givenName" }).name).toEqual({});
  expect(patch({ op: "remove", path: "emails" })).not.toHaveProperty("emails");
});

test("reaches elements of lists by a filter", () => {
  const path = 'emails[type eq "work"].value';
  expect(patch({ op: "replace", path, value: "new@example.com" }).emails).toEqual([
    { type: "work", value: "new@example.com" },
    { type: "home", value: "b@example.com" },
  ]);
  expect(patch({ op: "remove", path: 'emails[type eq "home"]' }).emails).toHaveLength(1);
  expect(patch({ op: "add", path: 'emails[type eq "other"].value', value: "o@example.com" }).emails).toContainEqual({
    type: "other",
    value: "o@example.com",
  });
});

test("takes an object without a path, also with paths as names", () => {
  const changed = patch({ op: "replace", value: { active: false, "name.familyName": "B" } });
  expect(changed).toMatchObject({ active: false, name: { givenName: "A", familyName: "B" } });
});

test("adds members once and removes those that are named", () => {
  const group = { members: [{ value: "1" }, { value: "2" }] };
  const add = { op: "add", path: "members", value: [{ value: "2" }, { value: "3" }] };
  expect(applyPatch(group, [add]).members).toEqual([{ value: "1" }, { value: "2" }, { value: "3" }]);
  expect(applyPatch(group, [{ op: "remove", path: 'members[value eq "1"]' }]).members).toEqual([{ value: "2" }]);
  const remove = { op: "remove", path: "members", value: [{ value: "2" }] };
  expect(applyPatch(group, [remove]).members).toEqual([{ value: "1" }]);
});

test("does not change its input", () => {
  patch({ op: "replace", path: "name.givenName", value: "Z" });
  expect(USER.name.givenName).toBe("A");
});

test.each([
  [{ op: "move", path: "a" }],
  [{ op: "remove" }],
  [{ op: "add", value: 1 }],
  [{ op: "add", path: "a b", value: 1 }],
  [{ op: "replace", path: "emails[type xx 1]", value: 1 }],
  [{ op: "replace", path: 'emails[type co "zzz"].value', value: 1 }],
])("%j is refused", (operation) => expect(() => patch(operation)).toThrow());
