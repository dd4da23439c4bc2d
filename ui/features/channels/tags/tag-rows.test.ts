import { describe, expect, test } from "bun:test";
import { selectedIds, selectRows } from "../../../components/data-table/column.ts";
import type { Channel } from "../channel.ts";
import { common, groupByTag, rowIdOf, rowsByTag, selectedChannels, trafficOf, unfold, withTags } from "./tag-rows.ts";

const channel = (id: number, tag: string, fields: Partial<Channel> = {}) =>
  ({ id, tag, name: `c${id}`, priority: 0, weight: 0, ...fields }) as Channel;
const tags = groupByTag([
  channel(1, "east", { priority: 5, weight: 1, traffic: [{ count: 2, failed: 1 }] }),
  channel(2, "east", { priority: 5, weight: 2 }),
  channel(3, "west", { traffic: [{ count: 1, failed: 0 }] }),
  channel(4, "west", { traffic: [{ count: 4, failed: 2 }] }),
]);
const [east, west] = tags;
if (!east || !west) throw new Error("two tags were given");

test("an opened tag is followed by its channels", () => {
  expect(unfold(tags, new Set(["west"])).map(rowIdOf)).toEqual(["tag:east", "tag:west", 3, 4]);
});

test("channels without a tag follow the tags", () => {
  const rows = rowsByTag([channel(1, "east"), channel(2, ""), channel(3, "")], new Set(["east"]));
  expect(rows.map(rowIdOf)).toEqual(["tag:east", 1, 2, 3]);
});

test("numbers are shown where all channels agree", () => {
  expect(common(east, "priority")).toBe(5);
  expect(common(east, "weight")).toBeNull();
});

test("traffic adds up, hour by hour", () => {
  expect(trafficOf(west)).toEqual([{ count: 5, failed: 2 }]);
  expect(trafficOf({ tag: "x", channels: [channel(9, "x")] })).toBeUndefined();
});

describe("selecting", () => {
  test("a tag is selected when all its channels are", () => {
    expect(selectedIds(withTags(selectRows([1]), tags))).toEqual(["1"]);
    expect(selectedIds(withTags(selectRows([1, 2]), tags))).toEqual(["1", "2", "tag:east"]);
  });

  test("a tag selects its channels, and takes them away again", () => {
    expect(selectedIds(selectedChannels({}, selectRows(["tag:east"]), tags))).toEqual(["1", "2"]);
    expect(selectedIds(selectedChannels(selectRows([1, 2, "tag:east"]), selectRows([1, 2]), tags))).toEqual([]);
  });

  test("a channel taken away takes its tag away, not its neighbors", () => {
    const before = selectRows([3, 4, "tag:west"]);
    expect(selectedIds(selectedChannels(before, selectRows([4, "tag:west"]), tags))).toEqual(["4"]);
  });
});
