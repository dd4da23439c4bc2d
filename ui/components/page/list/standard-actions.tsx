import Block from "@mui/icons-material/BlockOutlined";
import Check from "@mui/icons-material/CheckCircleOutlineOutlined";
import Delete from "@mui/icons-material/DeleteOutlineOutlined";
import Edit from "@mui/icons-material/EditOutlined";
import type { ComponentType, ReactNode } from "react";
import type { ListContext } from "./list-context.ts";
import type { Ask, ListAction } from "./resource-list.ts";

type Draw<Row, Data> = (row: Row, close: () => void, context: ListContext<Data>) => ReactNode;
type More<Row, Data> = Partial<Pick<ListAction<Row, Data>, "label" | "needs" | "isDisabled" | "isShown">>;
type Asking<Row> = Readonly<{ ask?: Ask<Row>; values?: (row: Row) => Readonly<Record<string, unknown>> }>;

/** "Edit" in the menu of a row; `draw`: its form. */
export const editing = <Row, Data = undefined>(
  draw: Draw<Row, Data>,
  more: More<Row, Data> = {},
): ListAction<Row, Data> => ({ name: "edit", icon: Edit, open: draw, ...more });

/** "Delete" in the menu of a row, after a question; `done`: the key of what is said afterwards. */
export const deleting = <Row, Data = undefined>(
  work: (row: Row, context: ListContext<Data>) => Promise<unknown>,
  done: string,
  more: More<Row, Data> & Asking<Row> = {},
): ListAction<Row, Data> => ({ name: "delete", icon: Delete, isDangerous: true, ask: true, work, done, ...more });

type Switch<Row, Data> = Readonly<{
  isOn: (row: Row) => boolean;
  work: (row: Row, isOn: boolean, context: ListContext<Data>) => Promise<unknown>;
  /** The keys of what is said afterwards. */
  done: Readonly<{ on: string; off: string }>;
  /** The names of the actions, if not "enable" and "disable". */
  names?: Readonly<{ on: string; off: string }>;
  icons?: Readonly<{ on: ComponentType; off: ComponentType }>;
}> &
  More<Row, Data>;

/** What turns a row on or off, whichever it is not. */
export const switching = <Row, Data = undefined>({
  isOn,
  work,
  done,
  names = { on: "enable", off: "disable" },
  icons = { on: Check, off: Block },
  ...more
}: Switch<Row, Data>): readonly ListAction<Row, Data>[] =>
  (["off", "on"] as const).map((to) => ({
    name: names[to],
    icon: icons[to],
    ...more,
    isShown: (row: Row) => isOn(row) === (to === "off"),
    work: (row: Row, context: ListContext<Data>) => work(row, to === "on", context),
    done: done[to],
  }));
