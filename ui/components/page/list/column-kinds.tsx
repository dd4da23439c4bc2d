import Box from "@mui/material/Box";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { formatDuration } from "../../../lib/format/duration.ts";
import { formatNumber } from "../../../lib/format/number.ts";
import type { Column } from "../../data-table/column.ts";
import { Count, Money } from "../../display/Money.tsx";
import { StatusChip, type ToneName } from "../../display/StatusChip.tsx";
import { TimeAgo } from "../../display/TimeAgo.tsx";
import type { ListContext } from "./list-context.ts";

/** The fields of a row that hold a value of a type. */
type Field<Row, Value> = { [Name in keyof Row & string]-?: Row[Name] extends Value ? Name : never }[keyof Row & string];

type Blank = null | undefined;
type Read<Row, Value, Data> = (row: Row, context: ListContext<Data>) => Value;

/** The value is that of the field named like the column, or of another, or computed. */
type Valued<Row, Value, Data> = Readonly<
  | { key: Field<Row, Value | Blank>; of?: undefined }
  | { key: string; of: Field<Row, Value | Blank> | Read<Row, Value | Blank, Data> }
>;

/** A state by color and word; `quiet` for the usual one. */
export type Status = Readonly<{ tone: ToneName; text: string; quiet?: boolean; reason?: ReactNode }>;

/**
 * What a cell shows: `text`, `code`, an amount of quota units (`money`), a moment in epoch seconds (`time`; 0 is none),
 * a `duration` in milliseconds, a `number`, a `count` that is dimmed at 0, a `choice` by the text of its name, a `status`, or what `cell` draws. Where there is
 * no value, it is a dash, or the text `none` in a lighter shade.
 */
type Content<Row, Data> =
  | (Valued<Row, string | number, Data> & Readonly<{ kind: "text" | "code"; none?: string }>)
  | (Valued<Row, number, Data> & Readonly<{ kind: "money"; decimals?: number; strong?: boolean }>)
  | (Valued<Row, number, Data> & Readonly<{ kind: "time"; none?: string }>)
  | (Valued<Row, number, Data> & Readonly<{ kind: "number" | "count" | "duration" }>)
  | (Valued<Row, string, Data> & Readonly<{ kind: "choice"; texts: string }>)
  | Readonly<{ key: string; kind: "status"; of: Read<Row, Status, Data> }>
  | Readonly<{ key: string; kind?: undefined; cell: Read<Row, ReactNode, Data> }>;

/** A column of a list's description. */
export type ListColumn<Row, Data = undefined> = Omit<
  Column<Row>,
  "key" | "head" | "cell" | "text" | "foot" | "isHiddenByDefault"
> &
  Content<Row, Data> &
  Readonly<{
    /** The key of its heading, or what that says; if not given, the list's text "columns.KEY". */
    head?: string | ((context: ListContext<Data>) => string);
    /** The cell's text, if it is text: the column grows to fit it. */
    fit?: Read<Row, string, Data>;
    isShown?: (context: ListContext<Data>) => boolean;
    isHiddenByDefault?: boolean | ((context: ListContext<Data>) => boolean);
  }>;

/** The columns as the table draws them; `context` returns the latest. `text`: see ResourceList. */
export const columnsOf = <Row, Data>(
  columns: readonly ListColumn<Row, Data>[],
  text: (name: string) => string,
  context: () => ListContext<Data>,
): readonly Column<Row>[] =>
  columns
    .filter(({ isShown }) => isShown?.(context()) ?? true)
    .map((column) => {
      const { key, head, fit, kind, width, sortKey, isTitle } = column;
      const isFigure = kind === "money" || kind === "number" || kind === "count" || kind === "duration";
      const align = column.align ?? (isFigure ? "right" : undefined);
      const isSolid = column.isSolid ?? kind === "status";
      return {
        key,
        head: typeof head === "function" ? head(context()) : context().t(head ?? text(`columns.${key}`)),
        cell: (row) => cellOf(column, row, context()),
        ...(fit && { text: (row: Row) => fit(row, context()) }),
        ...(width !== undefined && { width }),
        ...(sortKey !== undefined && { sortKey }),
        ...(align && { align }),
        ...(isTitle && { isTitle }),
        ...(isHidden(column, context()) && { isHiddenByDefault: true }),
        ...(isSolid && { isSolid }),
      };
    });

/** Whether a column is hidden until somebody shows it. */
export const isHidden = <Row, Data>(
  { isHiddenByDefault: is = false }: Pick<ListColumn<Row, Data>, "isHiddenByDefault">,
  context: ListContext<Data>,
): boolean => (typeof is === "function" ? is(context) : is);

/** What a cell of a column shows of a row. */
export function cellOf<Row, Data>(column: ListColumn<Row, Data>, row: Row, context: ListContext<Data>): ReactNode {
  const { t } = context;
  switch (column.kind) {
    case undefined:
      return column.cell(row, context);
    case "status":
      return <StateChip of={column.of(row, context)} />;
    case "text":
    case "code": {
      const value = readValue<Row, string | number, Data>(column, row, context);
      if ((typeof value !== "string" && typeof value !== "number") || value === "") return noneOf(column.none, context);
      return column.kind === "code" ? <code>{value}</code> : value;
    }
    case "choice": {
      const value = readValue<Row, string, Data>(column, row, context);
      return typeof value !== "string" ? "–" : t(`${column.texts}.${value}`, { defaultValue: value });
    }
    case "time": {
      const value = readValue<Row, number, Data>(column, row, context);
      return typeof value !== "number" || value <= 0 ? noneOf(column.none, context) : <TimeAgo seconds={value} />;
    }
    case "number":
    case "duration":
    case "count": {
      const value = readValue<Row, number, Data>(column, row, context);
      if (typeof value !== "number") return "–";
      if (column.kind === "count") return <Count value={value} />;
      return <span className="num">{column.kind === "duration" ? formatDuration(value) : formatNumber(value)}</span>;
    }
    case "money": {
      const value = readValue<Row, number, Data>(column, row, context);
      return typeof value !== "number" ? (
        "–"
      ) : (
        <Money quota={value} decimals={column.decimals ?? 2} strong={column.strong ?? false} />
      );
    }
  }
}

/** What a column reads from a row; its type fits the column's kind, unless the server sends something else. */
function readValue<Row, Value, Data>(
  { key, of }: Valued<Row, Value, Data>,
  row: Row,
  context: ListContext<Data>,
): unknown {
  return typeof of === "function" ? of(row, context) : Reflect.get(Object(row), of ?? key);
}

const noneOf = (none: string | undefined, { t }: Pick<ListContext<unknown>, "t">): ReactNode =>
  none === undefined ? "–" : <Quiet>{none === "–" ? none : t(none)}</Quiet>;

export const StateChip = ({ of: { text, ...chip } }: { of: Status }) => {
  const { t } = useTranslation();
  return <StatusChip {...chip}>{t(text)}</StatusChip>;
};

/** What is of little interest, in a lighter shade. */
export const Quiet = ({ children }: { children: ReactNode }) => (
  <Box component="span" className="num" sx={{ color: "text.tertiary" }}>
    {children}
  </Box>
);
