import type { RowData } from "@tanstack/react-table";
import { useMemo, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { type Column, type Selected, selectRows } from "../../data-table/column.ts";
import { useAction } from "../../feedback/use-action.ts";
import { useAddress } from "../../use-address.ts";
import { columnsOf, isHidden } from "./column-kinds.tsx";
import { type ListContext, type Opened, useMay } from "./list-context.ts";
import type { ResourceList } from "./resource-list.ts";

const noData = (): undefined => undefined;

/** What a description's functions know of the page, how its rows are read again, and what is open over it. */
export function useListContext<Data>(useData: (() => Data) | undefined, setSelected: (selected: Selected) => void) {
  const { t, i18n } = useTranslation();
  const [shown, setShown] = useState<{ draw: Opened } | null>(null);
  const reload = useRef(() => {});
  const context: ListContext<Data> = {
    t,
    language: i18n.language,
    // Data is undefined where the description has no such hook.
    data: (useData ?? (noData as () => Data))(),
    address: useAddress(),
    may: useMay(),
    open: (draw) => setShown({ draw }),
    reload: () => reload.current(),
    act: useAction(() => reload.current()),
    select: (ids) => setSelected(selectRows(ids)),
  };
  // What an action opens next is not closed with it.
  const close = () => setShown((now) => (now === shown ? null : now));
  return { context, reload, opened: shown?.draw(close) };
}

/** The columns that a description shows now; their cells read the latest context. */
export function useColumns<Row extends RowData, Data>(
  { columns, text, feet }: Pick<ResourceList<Row, never, Data>, "columns" | "text" | "feet">,
  context: ListContext<Data>,
): readonly Column<Row>[] {
  const latest = useRef(context);
  latest.current = context;
  const below = feet?.(context);
  const heads = columns
    .filter(({ isShown }) => isShown?.(context) ?? true)
    .map((column) => [typeof column.head === "function" ? column.head(context) : column.key, isHidden(column, context)])
    .join();
  // biome-ignore lint/correctness/useExhaustiveDependencies: cells read the latest context
  return useMemo(() => {
    const drawn = columnsOf(columns, text, () => latest.current);
    return below ? drawn.map((column) => ({ ...column, foot: below[column.key] })) : drawn;
  }, [columns, heads, below, context.t]);
}
