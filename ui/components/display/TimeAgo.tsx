import Box from "@mui/material/Box";
import { useTranslation } from "react-i18next";
import { exactTime, relativeTime } from "../../lib/format/time.ts";
import { Tip } from "../tip/Tip.tsx";

/** How long ago a moment (epoch seconds) was, in words; the exact time with its zone on hover. */
export const TimeAgo = ({ seconds }: { seconds: number }) => {
  const { i18n } = useTranslation();
  return (
    <Tip title={exactTime(seconds, i18n.language)}>
      <Box component="time" dateTime={new Date(seconds * 1000).toISOString()} sx={{ whiteSpace: "nowrap" }}>
        {relativeTime(seconds, Date.now() / 1000, i18n.language)}
      </Box>
    </Tip>
  );
};
