import { channels } from "../../../../db/schema/gateway/channels.ts";
import { nowSeconds } from "../../../lib/clock.ts";
import { OperationError } from "../../../lib/operation-error.ts";
import { writeManagementLog } from "../../logs/write-log.ts";
import type { Actor, ChannelDeps } from "../operation.ts";
import { rebuildAbilities } from "../routing/abilities.ts";
import { type ChannelInput, checkReferences, readChannelInput } from "./channel-input.ts";
import { describeNew } from "./record-changes.ts";

/** Creates a channel and returns its id. Throws OperationError when a field is missing or refused. */
export async function createChannel(deps: ChannelDeps, actor: Actor, input: ChannelInput): Promise<number> {
  const { db, changes, vault } = deps;
  const type = input.type || 1;
  checkReferences(actor, input.key, type);
  const { name, keyCipher, models, ...rest } = readChannelInput({ other: "", ...input }, type, vault);
  if (!name || !keyCipher) throw new OperationError("channel_name_and_key_required");
  if (!models?.length) throw new OperationError("channel_model_required");
  const status = input.status === 2 ? 2 : 1;
  const id = await db.transaction(async (tx) => {
    const [created] = await tx
      .insert(channels)
      .values({ ...rest, type, name, keyCipher, models, status, createdTime: nowSeconds() })
      .returning({ id: channels.id });
    if (!created) throw new Error("the channel was not created");
    await rebuildAbilities(tx, [created.id]);
    await writeManagementLog(tx, actor, `Created channel ${name} (#${created.id})`, {
      note: { code: "channel_created", params: { name, id: created.id } },
      action: "create",
      ...describeNew({ ...rest, type, name, models, status }),
    });
    return created.id;
  });
  await changes.publish("channels", [id]);
  return id;
}
