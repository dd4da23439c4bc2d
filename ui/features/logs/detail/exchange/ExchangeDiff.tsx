import Box from "@mui/material/Box";
import { useTranslation } from "react-i18next";
import { type ExchangeLine, exchangeLines } from "./exchange-lines.ts";

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
