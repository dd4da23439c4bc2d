import Box from "@mui/material/Box";

const FEWEST_POINTS = 2;
/** The drawing is stretched to its box. */
const SIDE = 100;

type Props = Readonly<{ values: readonly number[] /** Pixels. */; height: number; color: string }>;

/** The course of a figure from 0 up, without axes. Nothing for a single value, which has no course. */
export const Trend = ({ values, height, color }: Props) => {
  if (values.length < FEWEST_POINTS) return null;
  const least = Math.min(0, ...values);
  const range = Math.max(...values) - least || 1;
  const points = values.map(
    (value, index) => `${(index / (values.length - 1)) * SIDE},${(1 - (value - least) / range) * SIDE}`,
  );
  const line = `M${points.join("L")}`;
  return (
    <Box
      component="svg"
      aria-hidden
      viewBox={`0 0 ${SIDE} ${SIDE}`}
      preserveAspectRatio="none"
      sx={{ display: "block", width: 1, py: "2px", overflow: "visible" }}
      style={{ height, color }}
    >
      <path d={`${line}V${SIDE}H0Z`} fill="currentColor" opacity={0.25} />
      <path d={line} fill="none" stroke="currentColor" strokeWidth={2} vectorEffect="non-scaling-stroke" />
    </Box>
  );
};
