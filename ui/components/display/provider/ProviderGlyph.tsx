import Box from "@mui/material/Box";
import { Tip } from "../../tip/Tip.tsx";
import { logoOf } from "./provider-logos.ts";

type Series = "s1" | "s2" | "s3" | "s4" | "s5" | "s6" | "s7";
const SERIES: readonly Series[] = ["s1", "s2", "s3", "s4", "s5", "s6", "s7"];

type GlyphProps = Readonly<{ name: string; size?: number }>;

/** The logo of a provider or a maker of models, or a monogram where none is known. */
export const ProviderGlyph = ({ name, size = 22 }: GlyphProps) => {
  const logo = logoOf(name);
  if (!logo) return <Monogram name={name} size={size} />;
  const { address, isPlain } = logo;
  const box = { width: size, height: size, flex: "none", display: "inline-grid", placeItems: "center" };
  const inner = Math.round(size * 0.86);
  return (
    <Tip title={name}>
      <Box component="span" aria-label={name} role="img" sx={box}>
        {isPlain ? (
          <Box
            component="span"
            sx={{
              width: inner,
              height: inner,
              bgcolor: "text.primary",
              mask: `url("${address}") center / contain no-repeat`,
            }}
          />
        ) : (
          <Box component="img" src={address} alt="" width={inner} height={inner} />
        )}
      </Box>
    </Tip>
  );
};

/** Two letters, always of the same color for the same name. */
const Monogram = ({ name, size = 22 }: GlyphProps) => {
  const series = SERIES[[...name].reduce((sum, letter) => sum + letter.charCodeAt(0), 0) % SERIES.length] ?? "s7";
  return (
    <Tip title={name}>
      <Box
        component="span"
        aria-label={name}
        role="img"
        sx={{
          width: size,
          height: size,
          flex: "none",
          display: "inline-grid",
          placeItems: "center",
          borderRadius: "5px",
          fontSize: size * 0.43,
          fontWeight: 700,
          color: "text.primary",
          bgcolor: (theme) =>
            `color-mix(in srgb, ${(theme.vars ?? theme).palette.series[series]} 24%, ${(theme.vars ?? theme).palette.surface.paper})`,
        }}
      >
        {monogram(name)}
      </Box>
    </Tip>
  );
};

/** "OpenAI" → OA, "Azure OpenAI" → AO, "Custom" → CU. */
function monogram(name: string): string {
  const capitals = name.match(/[A-Z0-9]/g) ?? [];
  const letters = capitals.length >= 2 ? capitals.slice(0, 2).join("") : name.slice(0, 2);
  return letters.toUpperCase();
}
