import Box from "@mui/material/Box";
import Checkbox from "@mui/material/Checkbox";
import { useVirtualizer } from "@tanstack/react-virtual";
import { useState } from "react";

type NameCheckListProps = Readonly<{
  names: readonly string[];
  ticked: ReadonlySet<string>;
  onTick: (name: string, on: boolean) => void;
  /** Pixels. */
  height: number;
}>;

const ROW_PX = 32;

/** Names to tick; only the rows in sight are drawn. */
export const NameCheckList = ({ names, ticked, onTick, height }: NameCheckListProps) => {
  const [scroller, setScroller] = useState<HTMLElement | null>(null);
  const rows = useVirtualizer({
    count: names.length,
    getScrollElement: () => scroller,
    estimateSize: () => ROW_PX,
    overscan: 12,
  });
  return (
    <Box ref={setScroller} sx={{ height, overflowY: "auto", borderTop: "1px solid", borderColor: "line.main" }}>
      <Box sx={{ position: "relative", height: rows.getTotalSize() }}>
        {rows.getVirtualItems().map(({ index, start }) => {
          const name = names[index] ?? "";
          return (
            <Box
              key={name}
              component="label"
              style={{ transform: `translateY(${start}px)` }}
              sx={{
                position: "absolute",
                insetInline: 0,
                height: ROW_PX,
                display: "flex",
                alignItems: "center",
                gap: 2,
                fontSize: 13,
                cursor: "pointer",
              }}
            >
              <Checkbox checked={ticked.has(name)} onChange={(event) => onTick(name, event.target.checked)} />
              <Box
                component="span"
                sx={{ overflow: "hidden", textOverflow: "ellipsis", whiteSpace: "nowrap" }}
                title={name}
              >
                {name}
              </Box>
            </Box>
          );
        })}
      </Box>
    </Box>
  );
};
