import Box from "@mui/material/Box";
import { diffLines } from "diff";
import { useTranslation } from "react-i18next";
import { indented } from "./indented.ts";

const LOOKS = {
  same: { mark: " ", element: "span", sx: {} },
  removed: { mark: "−", element: "del", sx: { bgcolor: "tone.bad.tint", color: "tone.bad.text" } },
  added: { mark: "+", element: "ins", sx: { bgcolor: "tone.ok.tint", color: "tone.ok.text" } },
} as const;

/** The client's request and the one that went upstream, as one text with the lines that were removed and added. */
export default function ExchangeDiff({ client, upstream }: Readonly<{ client: string; upstream: string }>) {
  return (
    <Box
      component="pre"
      sx={{
        m: 0,
        py: 2,
        maxHeight: 480,
        overflow: "auto",
        fontSize: 12,
        lineHeight: "18px",
        border: "1px solid",
        borderColor: "line.main",
        borderRadius: 1,
        bgcolor: "surface.paper",
      }}
      // Reached by keyboard, because it scrolls.
      tabIndex={0}
    >
      {exchangeLines(client, upstream).map((line, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the lines never change
        <Line key={at} line={line} />
      ))}
    </Box>
  );
}

const Line = ({ line }: { line: ExchangeLine }) => {
  const { t } = useTranslation();
  if (line.kind === "skipped") {
    return (
      <Box
        sx={{
          px: 3,
          color: "text.tertiary",
          bgcolor: "surface.sunken",
          fontFamily: (theme) => theme.typography.fontFamily,
        }}
      >
        {t("logs.detail.exchange.skipped", { count: line.count })}
      </Box>
    );
  }
  const { mark, element, sx } = LOOKS[line.kind];
  return (
    <Box
      component={element}
      sx={{
        display: "block",
        px: 3,
        pl: 7,
        textIndent: "-16px",
        whiteSpace: "pre-wrap",
        overflowWrap: "anywhere",
        textDecoration: "none",
        ...sx,
      }}
    >
      <Box component="span" aria-hidden sx={{ display: "inline-block", width: 16, textIndent: 0 }}>
        {mark}
      </Box>
      {line.text}
    </Box>
  );
};

/** A line of a comparison, or how many equal lines were left out. */
export type ExchangeLine =
  | Readonly<{ kind: "same" | "removed" | "added"; text: string }>
  | Readonly<{ kind: "skipped"; count: number }>;

/** Equal lines that are shown before and after a change. */
const CONTEXT_LINES = 3;

/** What changed between the client's request and the one that went upstream, line by line of their indented JSON. */
export function exchangeLines(client: string, upstream: string): ExchangeLine[] {
  const changes = diffLines(indented(client), indented(upstream));
  return changes.flatMap(({ value, added, removed }, at): ExchangeLine[] => {
    const texts = value.replace(/\n$/, "").split("\n");
    if (added || removed) return texts.map((text) => ({ kind: added ? "added" : "removed", text }));
    const head = at === 0 ? 0 : CONTEXT_LINES;
    const tail = at === changes.length - 1 ? 0 : CONTEXT_LINES;
    const count = texts.length - head - tail;
    const lines = texts.map((text): ExchangeLine => ({ kind: "same", text }));
    // To leave out a single line would save nothing.
    return count <= 1 ? lines : [...lines.slice(0, head), { kind: "skipped", count }, ...lines.slice(head + count)];
  });
}
