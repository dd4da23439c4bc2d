import Box from "@mui/material/Box";
import { useTranslation } from "react-i18next";
import type { AuditEntry } from "../../../src/logs/list-audit.ts";
import { differencesOf } from "./diff.ts";

/** Each changed field: what it was, what it is. */
export const Differences = ({ entry }: { entry: AuditEntry }) => {
  const { t } = useTranslation();
  const differences = differencesOf(entry);
  if (differences.length === 0)
    return (
      <Box component="span" sx={{ color: "text.tertiary" }}>
        –
      </Box>
    );
  return (
    <Box component="ul" sx={{ m: 0, p: 0, listStyle: "none", fontSize: 12.5, overflowWrap: "anywhere" }}>
      {differences.map(({ field, before, after }) => (
        <li key={field}>
          <Box component="span" sx={{ color: "text.tertiary", mr: 1.5 }}>
            {field}
          </Box>
          {before !== null && (
            <Box component="del" sx={{ color: "tone.bad.text", mr: 1.5 }}>
              {before || t("audit.empty")}
            </Box>
          )}
          {after !== null && (
            <Box component="ins" sx={{ color: "tone.ok.text", textDecoration: "none" }}>
              {after || t("audit.empty")}
            </Box>
          )}
        </li>
      ))}
    </Box>
  );
};
