import { expect, test } from "bun:test";
import { chatsText, missingChats, readChats } from "./ChatsPanel.tsx";
import { groupTexts, readGroups } from "./GroupsPanel.tsx";

test("groups are put together from both options and taken apart again", () => {
  const rows = readGroups({ ratios: '{"default":1,"vip":0.8}', usable: '{"default":"All","guest":"Visitors"}' });
  expect(rows).toEqual([
    { name: "default", ratio: 1, description: "All" },
    { name: "vip", ratio: 0.8, description: null },
    { name: "guest", ratio: null, description: "Visitors" },
  ]);
  const { ratios, usable } = groupTexts(rows ?? []);
  expect(JSON.parse(ratios)).toEqual({ default: 1, vip: 0.8 });
  expect(JSON.parse(usable)).toEqual({ default: "All", guest: "Visitors" });
  expect(readGroups({ ratios: '{"default":"1"}', usable: "{}" })).toBeNull();
});

test("chat links are read and written in order", () => {
  const rows = readChats('[{"A":"a://{key}"},{"B":"b"}]');
  expect(rows).toEqual([
    { name: "A", link: "a://{key}" },
    { name: "B", link: "b" },
  ]);
  expect(JSON.parse(chatsText(rows ?? []))).toEqual([{ A: "a://{key}" }, { B: "b" }]);
  for (const text of ["{}", "[1]", '[{"a":1}]', '[{"a":"x","b":"y"}]', "[{}]", "["]) expect(readChats(text)).toBeNull();
});

test("usual apps are offered that no link is named after; each takes the key", () => {
  const all = missingChats([]);
  expect(readChats(chatsText(all))).toEqual(all);
  for (const { link } of all) expect([link.includes("{key}"), link.includes("{address}")]).toEqual([true, true]);
  expect(missingChats([{ name: "OpenCat", link: "elsewhere" }])).toEqual(all.filter(({ name }) => name !== "OpenCat"));
  expect(missingChats(all)).toEqual([]);
});
