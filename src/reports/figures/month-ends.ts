/** Returns the last days of the months before that of `today`, the earliest first. */
export function monthEnds(today: string, months: number): string[] {
  const [year, month] = today.split('-').map(Number) as [number, number];
  return Array.from({ length: months }, (_, index) => {
    const end = new Date(0);
    end.setUTCFullYear(year, month - months + index, 0);
    return end.toISOString().slice(0, 10);
  }).filter((day) => !day.startsWith('-'));
}
