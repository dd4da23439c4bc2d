import Box from "@mui/material/Box";
import type { AuditEntry } from "../../../src/domain/logs/audit/list-audit.ts";
import { useDifferences } from "./use-differences.ts";

/** Each changed field: what it was, what it is. */
export const Differences = ({ entry }: { entry: AuditEntry }) => {
  const differences = useDifferences()(entry);
  if (differences.length === 0)
    return (
      <Box component="span" sx={{ color: "text.tertiary" }}>
        –
      </Box>
    );
  return (
    <Box component="ul" sx={{ m: 0, p: 0, listStyle: "none", fontSize: 12.5, overflowWrap: "anywhere" }}>
      {differences.map(({ field, label, before, after }) => (
        <li key={field}>
          <Box component="span" sx={{ color: "text.tertiary", mr: 1.5 }}>
            {label}
          </Box>
          {before !== null && (
            <Box component="del" sx={{ color: "tone.bad.text", mr: 1.5 }}>
              {before}
            </Box>
          )}
          {after !== null && (
            <Box component="ins" sx={{ color: "tone.ok.text", textDecoration: "none" }}>
              {after}
            </Box>
          )}
        </li>
      ))}
    </Box>
  );
};
