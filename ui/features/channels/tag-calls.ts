import { readData } from "../../api/client.ts";
import { channelApi } from "../../api/groups.ts";

/** Fields set on every channel of a tag; what is absent stays as it is. */
type TagChange = Omit<Parameters<typeof channelApi.tag.put>[0], "tag">;

/** Returns how many channels changed. */
export const setTagStatus = (tag: string, isOn: boolean, signal?: AbortSignal): Promise<number> =>
  readData(channelApi.tag[isOn ? "enabled" : "disabled"].post({ tag }, { fetch: { signal } }));

/** Returns how many channels the tag has. */
export const editTag = (tag: string, change: TagChange, signal?: AbortSignal): Promise<number> =>
  readData(channelApi.tag.put({ tag, ...change }, { fetch: { signal } }));
