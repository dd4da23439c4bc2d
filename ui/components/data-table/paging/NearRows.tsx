import Box from "@mui/material/Box";
import Skeleton from "@mui/material/Skeleton";
import TableCell from "@mui/material/TableCell";
import TableRow from "@mui/material/TableRow";
import { Fragment, type ReactNode, useCallback } from "react";
import type { EndlessRows } from "./use-endless-rows.ts";
import { useElements, useNearRows } from "./use-near-rows.ts";

type Props = Readonly<{
  count: number;
  /** Pixels. */
  rowPx: number;
  endless: EndlessRows | undefined;
  /** Columns of the table. */
  span: number;
  /** `onDetail` receives the height of the row's details in pixels. */
  render: (index: number, onDetail: (px: number) => void) => ReactNode;
}>;

/** The body of a table with only the rows near the viewport; blank space of the same height replaces the others. */
export const NearRows = ({ count, rowPx, endless, span, render }: Props) => {
  const { indexes, abovePx, belowPx, top, resize } = useNearRows({ count, rowPx, endless });
  const elementAt = useElements(
    useCallback((index: number) => render(index, (px) => resize(index, rowPx + px)), [render, resize, rowPx]),
  );
  return (
    <>
      <TableRow ref={top} aria-hidden>
        <Blank span={span} height={abovePx} />
      </TableRow>
      {indexes.map((index) => (
        <Fragment key={(endless?.start ?? 0) + index}>
          {elementAt(index) ?? <UnloadedRow span={span} isWaiting={!endless?.error} />}
        </Fragment>
      ))}
      <TableRow aria-hidden>
        <Blank span={span} height={belowPx} />
      </TableRow>
    </>
  );
};

const Blank = ({ span, height }: { span: number; height: number }) => (
  <TableCell colSpan={span} sx={{ p: "0 !important", border: 0, height: `${height}px !important` }} />
);

/** A row that is loading, or could not be loaded. */
const UnloadedRow = ({ span, isWaiting }: { span: number; isWaiting: boolean }) => (
  <TableRow aria-hidden>
    <TableCell colSpan={span}>
      <Skeleton height={12} width="70%" animation={isWaiting ? "pulse" : false} />
    </TableCell>
  </TableRow>
);

const LIST = { m: 0, p: 0, listStyle: "none" } as const;
/** Height of a card before it is measured, in pixels. */
const CARD_PX = 150;

type NearCardsProps = Readonly<{ endless: EndlessRows; render: (position: number, place: object) => ReactNode }>;

/** The cards near the viewport; each is measured. */
export function NearCards({ endless, render }: NearCardsProps) {
  const { indexes, abovePx, belowPx, top, measure } = useNearRows({ count: endless.length, rowPx: CARD_PX, endless });
  const { start, total } = endless;
  const elementAt = useElements(
    useCallback(
      (index: number) => {
        const position = start + index;
        const place = { ref: measure, "data-index": index, "aria-setsize": total, "aria-posinset": position + 1 };
        return render(position, place);
      },
      [render, measure, start, total],
    ),
  );
  return (
    <Box component="ul" ref={top} sx={LIST} style={{ paddingTop: abovePx, paddingBottom: belowPx }}>
      {indexes.map((index) => (
        <Fragment key={start + index}>{elementAt(index)}</Fragment>
      ))}
    </Box>
  );
}
