import { asc } from "drizzle-orm";
import { usageSinks } from "../../../../../db/schema/logs/sinks.ts";
import { OperationError } from "../../../../lib/operation-error.ts";
import { type DestinationField, decryptConfig } from "../../../logs/sinks/destination-config.ts";
import { addSink, changeSink, deleteSink } from "../../../logs/sinks/sinks.ts";
import { isSinkType, sinkType } from "../../../logs/sinks/types/index.ts";
import { type LogNote, type ManagementAction, writeManagementLog } from "../../../logs/write-log.ts";
import type { SinkEntry } from "../document.ts";
import { type Kind, listed, type SecretPath } from "../kind.ts";

/** Where usage records are exported. */
export const sinksKind: Kind<SinkEntry> = {
  section: "sinks",
  right: "settings:write",
  hasNamesakes: true,
  defaults: { enabled: true, config: {} },
  entriesOf: (document) => listed(document.sinks, ({ name }) => name),
  secretsOf: ({ type, config }) =>
    secretFields(typeof type === "string" && isSinkType(type) ? sinkType(type).fields : [], config),
  async open({ db, vault, actor }) {
    const log = (content: string, note: LogNote, action: ManagementAction) =>
      writeManagementLog(db, actor, content, { note, action });
    const rows = await db.select().from(usageSinks).orderBy(asc(usageSinks.id));
    const stored = rows.map((row) => ({
      id: row.id,
      name: row.name,
      entry: {
        ...{ name: row.name, type: row.type, enabled: row.enabled },
        config: decryptConfig(vault, row.configCipher),
      } satisfies SinkEntry,
    }));
    return {
      stored,
      async create({ from_start: fromStart = false, enabled = true, config = {}, ...entry }) {
        const { name } = await addSink({ db, vault }, { ...entry, enabled, config, from_start: fromStart }, "en");
        await log(`Added the export destination ${name}`, { code: "sink_added", params: { name } }, "create");
      },
      async update({ id, name, entry: before }, { type, enabled, config = {} }) {
        if (type !== undefined) throw new OperationError("configuration_type_fixed");
        await changeSink({ db, vault }, id, { name, enabled: enabled ?? before.enabled === true, config }, "en");
        await log(`Changed the export destination ${name}`, { code: "sink_changed", params: { name } }, "update");
      },
      async remove({ id, name }) {
        await deleteSink({ db, vault }, id, "en");
        await log(`Deleted the export destination ${name}`, { code: "sink_deleted", params: { name } }, "delete");
      },
    };
  },
};

/** The secrets of a configuration by its fields. */
export const secretFields = (fields: readonly DestinationField[], config: unknown): SecretPath[] =>
  fields
    .filter(({ name, isSecret }) => isSecret && typeof config === "object" && config !== null && name in config)
    .map(({ name }) => ["config", name]);
