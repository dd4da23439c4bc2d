import Box from "@mui/material/Box";
import type { SxProps, Theme } from "@mui/material/styles";
import Typography from "@mui/material/Typography";
import useMediaQuery from "@mui/material/useMediaQuery";
import type { ReactNode } from "react";
import { DocsLink } from "./site/DocsLink.tsx";

type Props = { children?: ReactNode; gap?: number; sx?: SxProps<Theme>; wrap?: boolean; className?: string };

const merge = (base: object, sx?: SxProps<Theme>) => [base, ...(Array.isArray(sx) ? sx : [sx])] as SxProps<Theme>;

/** Children side by side, centred. */
export const Row = ({ children, gap = 2, sx, wrap, className }: Props) => (
  <Box
    className={className ?? ""}
    sx={merge({ display: "flex", alignItems: "center", gap, minWidth: 0, flexWrap: wrap ? "wrap" : "nowrap" }, sx)}
  >
    {children}
  </Box>
);

/** Children below each other. */
export const Col = ({ children, gap = 2, sx }: Props) => (
  <Box sx={merge({ display: "flex", flexDirection: "column", gap, minWidth: 0 }, sx)}>{children}</Box>
);

type PanelProps = Props & { title?: ReactNode; hint?: ReactNode; action?: ReactNode; pad?: boolean };

/** A bordered surface: borders show structure, shadows are reserved for floating elements. */
export const Panel = ({ title, hint, action, children, pad = true, sx }: PanelProps) => (
  <Box
    component="section"
    sx={merge(
      {
        border: "1px solid",
        borderColor: "line.main",
        borderRadius: 1,
        bgcolor: "surface.paper",
        minWidth: 0,
        // Not "hidden", so that the headers of tables stick to the viewport through it.
        overflow: "clip",
      },
      sx,
    )}
  >
    {title && (
      <Row wrap sx={{ px: 4, pt: 3, pb: pad ? 0 : 3, rowGap: 1 }}>
        <Box component="h2" sx={{ m: 0, fontSize: 13.5, lineHeight: "20px", fontWeight: 600 }}>
          {title}
        </Box>
        {hint && <Box sx={{ color: "text.tertiary", fontSize: 12 }}>{hint}</Box>}
        {action && <Box sx={{ ml: "auto" }}>{action}</Box>}
      </Row>
    )}
    {pad ? <Box sx={{ p: 4, pt: title ? 3 : 4 }}>{children}</Box> : children}
  </Box>
);

type FieldProps = {
  label: ReactNode;
  /** The id of the control that the label names. */
  htmlFor?: string;
  hint?: ReactNode;
  error?: ReactNode;
  optional?: ReactNode;
  children: ReactNode;
  sx?: SxProps<Theme>;
};

/** A form field: label above, hint or error below. */
export const Field = ({ label, htmlFor, hint, error, optional, children, sx }: FieldProps) => (
  <Box sx={merge({ minWidth: 0, flex: 1 }, sx)}>
    <Row gap={1.5} sx={{ mb: 1.25, fontSize: 12.5, lineHeight: "18px", fontWeight: 550 }}>
      <label htmlFor={htmlFor}>{label}</label>
      {optional && (
        <Box component="span" sx={{ fontWeight: 400, color: "text.tertiary" }}>
          {optional}
        </Box>
      )}
    </Row>
    {children}
    {(error || hint) && (
      <Box
        role={error ? "alert" : undefined}
        sx={{ mt: 1.25, fontSize: 12, lineHeight: "16px", color: error ? "tone.bad.text" : "text.tertiary" }}
      >
        {error ?? hint}
      </Box>
    )}
  </Box>
);

/** The page's title, one line of purpose, and its actions on the right (the primary one last). */
export const PageHeader = ({ title, purpose, actions }: { title: string; purpose: string; actions?: ReactNode }) => {
  const isPhone = usePhone();
  return (
    <Row wrap={isPhone} sx={{ mb: isPhone ? 3 : 4, alignItems: isPhone ? "center" : "flex-end" }}>
      <Box sx={{ flex: isPhone ? "1 1 auto" : 1, minWidth: 0 }}>
        <Row gap={1}>
          <Typography variant="h1">{title}</Typography>
          <DocsLink />
        </Row>
        {!isPhone && (
          <Typography variant="body2" sx={{ color: "text.secondary", mt: 0.5 }}>
            {purpose}
          </Typography>
        )}
      </Box>
      <Row wrap={isPhone}>{actions}</Row>
    </Row>
  );
};

/** Whether the window has no room for a sidebar: phones, upright tablets, and 200 % of a laptop's. */
export const useNarrow = (): boolean => useMediaQuery("(max-width:1000px)", { noSsr: true });

/** Whether the window is at most 600 px wide: tables become cards, drawers fill the screen. */
export const usePhone = (): boolean => useMediaQuery("(max-width:600px)", { noSsr: true });
