/** Where a command writes. */
export interface Output {
  out(text: string): void;
  error(text: string): void;
}

export const counted = (count: number, word: string): string => `${count} ${word}${count === 1 ? "" : "s"}`;
