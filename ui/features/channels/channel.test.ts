import { expect, test } from "bun:test";
import { drawerOf } from "./channel.ts";

test("the path says which drawer is open", () => {
  expect(drawerOf("/channel")).toBeNull();
  expect(drawerOf("/channel/add")).toEqual({ id: null });
  expect(drawerOf("/channel/edit/12/")).toEqual({ id: 12 });
  expect(drawerOf("/channel/edit/x")).toBeNull();
});
