import Box from "@mui/material/Box";
import { type ReactNode, useId } from "react";

type Props = {
  title: ReactNode;
  children?: ReactNode;
  action?: ReactNode;
  /** Has much to say: on phones the action stands below it. */
  isLong?: boolean;
};

/** A row of a short list: title, detail and action. */
export const Entry = ({ title, children, action, isLong = false }: Props) => {
  const id = useId();
  return (
    <Box
      role="group"
      aria-labelledby={id}
      sx={{
        display: "flex",
        alignItems: "center",
        gap: 3,
        ...(isLong && { flexDirection: { xs: "column", sm: "row" }, "& > *": { width: { xs: 1, sm: "auto" } } }),
        minWidth: 0,
        mt: 3,
        pt: 3,
        borderTop: "1px solid",
        borderColor: "line.main",
        "&:first-of-type": { mt: 0, pt: 0, borderTop: 0 },
      }}
    >
      <Box sx={{ flex: 1, minWidth: 0 }}>
        <Box id={id} sx={{ fontSize: 13, fontWeight: 550, overflowWrap: "anywhere" }}>
          {title}
        </Box>
        {children && <Box sx={{ fontSize: 12, color: "text.secondary", overflowWrap: "anywhere" }}>{children}</Box>}
      </Box>
      {action}
    </Box>
  );
};
