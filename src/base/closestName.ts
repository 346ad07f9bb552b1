/** The name that a misspelt one probably stands for. */

/** The most edits between them. */
const MOST_EDITS = 2

/**
 * The closest of some names: at most two letters that are added, left out, replaced or swapped with the next, and fewer than
 * half of the name. Undefined if none is that close, or if several are.
 */
export function closestName(name: string, names: readonly string[]): string | undefined {
  let least = Math.min(MOST_EDITS, Math.ceil(name.length / 2) - 1)
  let found: string[] = []
  for (const candidate of names) {
    if (Math.abs(candidate.length - name.length) > least) continue
    const edits = editsBetween(name, candidate)
    if (edits > least) continue
    if (edits < least) found = []
    least = edits
    found.push(candidate)
  }
  return found.length === 1 ? found[0] : undefined
}

/** The distance of optimal string alignment. */
function editsBetween(a: string, b: string): number {
  let [last, before]: [number[], number[]] = [Array.from({ length: b.length + 1 }, (_, j) => j), []]
  for (let i = 1; i <= a.length; i++) {
    const row = [i]
    for (let j = 1; j <= b.length; j++) {
      const isSame = a[i - 1] === b[j - 1]
      const isSwapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]
      row[j] = Math.min(
        last[j]! + 1,
        row[j - 1]! + 1,
        last[j - 1]! + (isSame ? 0 : 1),
        isSwapped ? before[j - 2]! + 1 : Number.POSITIVE_INFINITY,
      )
    }
    ;[before, last] = [last, row]
  }
  return last[b.length]!
}
