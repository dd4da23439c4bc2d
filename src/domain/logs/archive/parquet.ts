import { type AsyncBuffer, parquetMetadataAsync, parquetReadObjects } from "hyparquet";
import { ByteWriter, type ColumnSource, ParquetWriter } from "hyparquet-writer";
import type { LogKey } from "../../../../db/maintenance/partitions.ts";
import { parseJson, recordOf, textOf } from "../../../formats/json.ts";
import { endOfTurn } from "../../../lib/runtime/tick.ts";
import type { LogRow } from "../log-view.ts";

type Kind = "INT64" | "INT32" | "BOOLEAN" | "STRING";

/** Columns of the file: those of the table, under their names. */
const COLUMNS = [
  ["id", "id", "INT64"],
  ["created_at", "createdAt", "INT64"],
  ["type", "type", "INT32"],
  ["user_id", "userId", "INT32"],
  ["username", "username", "STRING"],
  ["token_id", "tokenId", "INT32"],
  ["token_name", "tokenName", "STRING"],
  ["model_name", "modelName", "STRING"],
  ["channel_id", "channelId", "INT32"],
  ["group", "group", "STRING"],
  ["is_stream", "isStream", "BOOLEAN"],
  ["failed", "failed", "BOOLEAN"],
  ["use_time", "useTime", "INT32"],
  ["elapsed_ms", "elapsedMs", "INT32"],
  ["prompt_tokens", "promptTokens", "INT32"],
  ["completion_tokens", "completionTokens", "INT32"],
  ["quota", "quota", "INT64"],
  ["uncovered", "uncovered", "INT64"],
  ["ip", "ip", "STRING"],
  ["request_id", "requestId", "STRING"],
  ["content", "content", "STRING"],
  ["other", "other", "STRING"],
] as const satisfies readonly (readonly [string, keyof LogRow, Kind])[];

type ColumnName = (typeof COLUMNS)[number][0];
const NULLABLE: ColumnName = "request_id";

const SCHEMA = [
  { name: "log", num_children: COLUMNS.length },
  ...COLUMNS.map(([name, , kind]) => ({
    name,
    ...(kind === "STRING" ? { type: "BYTE_ARRAY" as const, converted_type: "UTF8" as const } : { type: kind }),
    repetition_type: name === NULLABLE ? ("OPTIONAL" as const) : ("REQUIRED" as const),
  })),
];

/** A file of log rows that grows in memory, a row group at a time. */
export function createLogFile() {
  const bytes = new ByteWriter();
  const file = new ParquetWriter({ writer: bytes, schema: SCHEMA, createdBy: "sluice" });
  return {
    /** Bytes so far. */
    size: (): number => bytes.offset,
    /** Adds rows as one row group. */
    add: async (rows: readonly LogRow[]): Promise<void> => {
      await file.write({ columnData: COLUMNS.map((column) => toColumn(column, rows)), rowGroupSize: rows.length });
    },
    finish: async (): Promise<Uint8Array<ArrayBuffer>> => {
      await file.finish();
      return new Uint8Array(bytes.getBuffer());
    },
  };
}

function toColumn([name, key, kind]: (typeof COLUMNS)[number], rows: readonly LogRow[]): ColumnSource {
  const data = rows.map((row) => row[key]);
  return { name, data: kind === "INT64" ? data.map((value) => BigInt(value ?? 0)) : data };
}

/** Rows of a file that lie together; `firstAt` and `lastAt`: the range of their times. */
export type RowGroup = Readonly<{ start: number; rows: number; firstAt: number; lastAt: number }>;

export type OpenLogFile = Readonly<{
  rows: number;
  groups: readonly RowGroup[];
  /** The rows of a group; of columns that are not among `columns` they have an empty value. */
  read(group: RowGroup, columns?: readonly ColumnName[]): Promise<LogRow[]>;
}>;

/** Enough for the end of any file that is written here. */
const FOOTER_BYTES = 256 * 1024;

/** Opens a file of `size` bytes, of which `read` gets a part. */
export async function openLogFile(
  size: number,
  read: (start: number, end: number) => Promise<Uint8Array<ArrayBuffer>>,
): Promise<OpenLogFile> {
  const file: AsyncBuffer = {
    byteLength: size,
    slice: async (start, end = size) => {
      const bytes = await read(start, end);
      return bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength);
    },
  };
  const metadata = await parquetMetadataAsync(file, { initialFetchSize: FOOTER_BYTES });
  let start = 0;
  const groups = metadata.row_groups.map(({ num_rows: count, columns }): RowGroup => {
    const times = columns.find(({ meta_data: about }) => about?.path_in_schema.join(".") === "created_at");
    const { min_value: first, max_value: last } = times?.meta_data?.statistics ?? {};
    const group = { start, rows: Number(count), firstAt: Number(first ?? 0), lastAt: Number(last ?? 0) };
    start += group.rows;
    return group;
  });
  return {
    rows: Number(metadata.num_rows),
    groups,
    async read({ start: rowStart, rows }, columns) {
      const range = { rowStart, rowEnd: rowStart + rows };
      const found: Record<string, unknown>[] = await parquetReadObjects({
        ...{ file, metadata, ...range },
        ...(columns && { columns: [...columns] }),
      });
      return found.map(toRow);
    },
  };
}

export type { ColumnName };

/** All keys of a file, in its order. */
export async function readKeys({ groups, read }: OpenLogFile): Promise<LogKey[]> {
  const keys: LogKey[] = [];
  for (const group of groups) {
    for (const { createdAt, id } of await read(group, ["id", "created_at"])) keys.push({ createdAt, id });
    // Calls go on between two groups: reading from memory waits for nothing.
    await endOfTurn();
  }
  return keys;
}

const integer = (value: unknown): number => Number(value ?? 0);
const text = (value: unknown): string => (typeof value === "string" ? value : "");

const toRow = (row: Readonly<Record<string, unknown>>): LogRow => ({
  id: integer(row.id),
  createdAt: integer(row.created_at),
  type: integer(row.type),
  userId: integer(row.user_id),
  username: text(row.username),
  tokenId: integer(row.token_id),
  tokenName: text(row.token_name),
  modelName: text(row.model_name),
  channelId: integer(row.channel_id),
  group: text(row.group),
  isStream: row.is_stream === true,
  failed: row.failed === true,
  useTime: integer(row.use_time),
  elapsedMs: integer(row.elapsed_ms),
  promptTokens: integer(row.prompt_tokens),
  completionTokens: integer(row.completion_tokens),
  quota: integer(row.quota),
  uncovered: integer(row.uncovered),
  ip: text(row.ip),
  requestId: typeof row.request_id === "string" ? row.request_id : null,
  content: text(row.content),
  other: text(row.other),
  ...labelsIn(text(row.other)),
});

/** The tags and the end user of a row, which its notes have too. */
function labelsIn(other: string): Pick<LogRow, "tags" | "endUser"> {
  if (!other.includes('"tags":[') && !other.includes('"end_user":')) return { tags: null, endUser: null };
  const { tags, end_user: endUser } = recordOf(parseJson(other)) ?? {};
  return {
    tags: Array.isArray(tags) ? tags.filter((tag) => typeof tag === "string") : null,
    endUser: textOf(endUser),
  };
}
