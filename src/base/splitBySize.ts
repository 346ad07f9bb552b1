/** Items in parts of a limited size, in their order. An item that is larger than the limit has a part of its own. */
export function splitBySize<Item>(
  items: readonly Item[],
  limit: number,
  sizeOf: (item: Item) => number,
): Item[][] {
  const parts: Item[][] = []
  let size = Number.POSITIVE_INFINITY
  for (const item of items) {
    size += sizeOf(item)
    if (size > limit) {
      parts.push([])
      size = sizeOf(item)
    }
    parts.at(-1)!.push(item)
  }
  return parts
}
