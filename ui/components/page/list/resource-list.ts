import type { QueryFilters, QueryKey } from "@tanstack/react-query";
import type { ComponentType, ReactNode } from "react";
import type { RowAction, RowId, Selected } from "../../data-table/column.ts";
import type { FilterOption } from "../../inputs/FilterButton.tsx";
import type { Address } from "../../use-address.ts";
import type { ListColumn } from "./column-kinds.tsx";
import type { ListContext, Needed } from "./list-context.ts";

/**
 * The keys of a question; true: the texts "NAMETitle" and "NAMEBody". `action` names its button, if not the label does; without a
 * title, that is the question. It warns where the action is dangerous, or with `isDangerous`.
 */
export type Ask<Of> =
  | true
  | Readonly<{ title?: string; body: string | ((of: Of) => string); action?: string; isDangerous?: true }>;

/** What an action does: opens a dialog or drawer, runs something of its own, or works after a question and says so. */
export type Does<Of, Data> =
  | Readonly<{ open: (of: Of, close: () => void, context: ListContext<Data>) => ReactNode }>
  | Readonly<{ run: (of: Of, context: ListContext<Data>) => unknown }>
  | Readonly<{
      ask?: Ask<Of>;
      /** An object's values go into `done`; without that, a text is shown as it is. */
      work: (of: Of, context: ListContext<Data>) => Promise<unknown>;
      /** The key of what is said afterwards. */
      done?: string;
      /** Values of the question's texts and of `done`, besides `name` of a row and `count`. */
      values?: (of: Of, context: ListContext<Data>) => Readonly<Record<string, unknown>>;
    }>;

/** Actions in its place that are known only with the row, such as one for each app of the site. */
type Several<Of, Data> = Readonly<{ several: (of: Of, context: ListContext<Data>) => readonly RowAction[] }>;

/** What can be done to a row, to the selected rows or to the list. */
export type ListAction<Of, Data = undefined> = (Does<Of, Data> | Several<Of, Data>) &
  Readonly<{
    /** Names its texts, the label first. */
    name: string;
    /** The key of its label, or what it says; if not given, the text of its name. */
    label?: string | ((context: ListContext<Data>) => string);
    icon?: ComponentType;
    /** Who lacks it does not see the action. */
    needs?: Needed;
    isShown?: (of: Of, context: ListContext<Data>) => boolean;
    isDisabled?: (of: Of, context: ListContext<Data>) => boolean;
    /** It works already, also where somebody else has started it. */
    isBusy?: (context: ListContext<Data>) => boolean;
    isDangerous?: boolean;
  }>;

/** The selected rows: those on this page, and the ids of all. */
export type Picked<Row> = Readonly<{ rows: readonly Row[]; ids: readonly string[] }>;

/** A filter of the list; its value stands in the address, unless it is a secret. */
export type ListFilter<Data = undefined> = Readonly<{
  key: string;
  /** The key of its name; if not given, the text "filters.KEY". */
  head?: string;
  /** Values with the keys of their texts, or the options themselves; without them, any text. */
  options?: readonly (readonly [value: string, text: string])[] | ((data: Data) => readonly FilterOption[]);
  isSecret?: boolean;
  isShown?: (data: Data) => boolean;
}>;

/** The values of the filters, and of the search as "search". */
export type FilterValues = Pick<Address, "text" | "number">;

/** The page (1-based) that is read, and its order. */
export type PageQuery = Readonly<{
  p: number;
  page_size: number;
  sort?: string | undefined;
  order?: string | undefined;
}>;

/** Where rows come from: all at once, a page after the other, or with the list's other data. */
type Rows<Row, Query, Data> =
  | Readonly<{
      /** A hook that reads them. */
      useAll: (context: ListContext<Data>, values: FilterValues) => AllRows<Row>;
      /** Which of them match the filters; the list then has pages. */
      matches?: (row: Row, values: FilterValues, data: Data) => boolean;
    }>
  | Readonly<{
      /** The cache key of its pages. */
      key: QueryKey;
      read: (
        query: PageQuery & Query,
        signal: AbortSignal,
        data: Data,
      ) => Promise<Readonly<{ items: readonly Row[]; total: number }>>;
      /** The server's default order; without it, the list can't be sorted. */
      defaultSort?: string;
      /** The address holds the page, too. */
      isPageInAddress?: boolean;
      /** How soon it is read again, in milliseconds. */
      pollMs?: (rows: readonly Row[], data: Data) => number | false;
    }>
  | Readonly<{
      /** The page that `useData` has read; the address holds its number. */
      of: (data: Data) => PageOfRows<Row>;
      defaultSort: string;
    }>;

type AllRows<Row> = Readonly<{ data: readonly Row[] | undefined; error: unknown; refetch: () => unknown }>;

type PageOfRows<Row> = Readonly<{
  /** Undefined until the first response. */
  rows: readonly Row[] | undefined;
  total: number | undefined;
  error: unknown;
  reload: () => unknown;
  isRefreshing: boolean;
}>;

type EmptyText = Readonly<{ title: string; body: string }>;

/** The description of a list of resources, which ListPage, ListPart and ListTable draw. Keys of texts are complete. */
export type ResourceList<Row, Query = object, Data = undefined> = Readonly<{
  /** The key of one of its texts: `sinks.title`. Of a page, these are "title" and "purpose". */
  text: (name: string) => string;
  icon: ComponentType;
  rows: Rows<Row, Query, Data>;
  /** What the server reads the list by. */
  query?: (values: FilterValues, context: ListContext<Data>) => Query;
  rowId: (row: Row) => RowId;
  rowName: (row: Row, context: ListContext<Data>) => string;
  /** What the rows are: "orders". */
  unit?: string;
  columns: readonly ListColumn<Row, Data>[];
  /** The key of what is searched by. */
  search?: string;
  filters?: readonly ListFilter<Data>[];
  /** What else the filters' bar has, such as times. */
  filterTools?: (query: Query, context: ListContext<Data>) => ReactNode;
  /** What it has also on a phone, where filters are folded. */
  pinned?: (query: Query, context: ListContext<Data>) => ReactNode;
  actions?: readonly ListAction<Row, Data>[];
  /** Actions on the selected rows. */
  bulk?: readonly ListAction<Picked<Row>, Data>[];
  /** A row stays selected on other pages. */
  isSelectionLasting?: boolean;
  /** How the ids of selected rows stand for those of others, such as a group for its members. */
  selection?: Readonly<{
    shown: (selected: Selected, rows: readonly Row[]) => Selected;
    changed: (shown: Selected, next: Selected, rows: readonly Row[]) => Selected;
    /** The key of the text with their count. */
    label: string;
  }>;
  /** What a click on a row does: the first of these actions that it offers, or something else. */
  onRow?: readonly string[] | Does<Row, Data>;
  /** What adds a row; `short`: the key of its label on a phone. With `inAddress`, an address opens it, too. */
  add?: ListAction<null, Data> & Readonly<{ short?: string; inAddress?: string }>;
  /** Other actions on the list. */
  tools?: readonly ListAction<null, Data>[];
  /** Rare ones, in a menu that has the text "moreActions"; on a phone, the tools are in it, too. */
  more?: readonly ListAction<null, Data>[];
  /** The file of all rows. */
  download?: Readonly<{ request: (query: Query) => Promise<string>; needs?: Needed }>;
  /** Without rows; if not given, the texts "empty.title" and "empty.body". */
  empty?: EmptyText & Readonly<{ action?: ReactNode }>;
  /** Where filters left none. */
  emptyFiltered?: EmptyText;
  isDim?: (row: Row, context: ListContext<Data>) => boolean;
  /** On a phone: a card's summary, which expands to all columns. */
  card?: (row: Row, context: ListContext<Data>) => ReactNode;
  /** Details below an expanded row. */
  detail?: (row: Row) => ReactNode;
  /** What stands below columns, such as sums, by their keys; the same object until it changes. */
  feet?: (context: ListContext<Data>) => Readonly<Record<string, ReactNode>>;
  /** Stands between a page's head and the list. */
  above?: (context: ListContext<Data>) => ReactNode;
  /** Stands below the table. */
  below?: (rows: readonly Row[], context: ListContext<Data>) => ReactNode;
  /** What this device remembers of it, under a name: the widths of columns, which are shown, and named filters. */
  remembers?: Readonly<{ as: string; columns?: "widths" | "choice"; views?: boolean }>;
  /** What is read again after an action; if not given, the list. */
  reload?: readonly QueryFilters[];
  /** Hooks whose values the description's functions need. */
  useData?: () => Data;
}>;
