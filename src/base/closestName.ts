const MAX_EDITS = 2

/**
 * The name closest to a misspelt one, or undefined if none is close or several are equally close. Close means at most
 * two edits (a letter added, left out, replaced, or swapped with the next) and fewer than half the letters.
 */
export function closestName(name: string, names: readonly string[]): string | undefined {
  let least = Math.min(MAX_EDITS, Math.ceil(name.length / 2) - 1)
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

/** The optimal string alignment distance. */
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
