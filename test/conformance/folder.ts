/** A folder of vectors, on disk or served. */
export interface Folder {
  /** The paths of all its files, with `/`, in lexical order. */
  list(): Promise<readonly string[]>
  read(file: string): Promise<Uint8Array<ArrayBuffer>>
}

/** A folder that is served over HTTP: its URL lists its files, and each is below it. */
export function servedFolder(url: string): Folder {
  const get = async (file: string): Promise<Response> => {
    const response = await fetch(url + file)
    if (!response.ok) throw new Error(`${file}: ${response.status} ${response.statusText}`)
    return response
  }
  return {
    list: async () => (await get('')).json() as Promise<string[]>,
    read: async (file) => new Uint8Array(await (await get(file)).arrayBuffer()),
  }
}

/** A folder in another. @param name - without `/` at its end. */
export function subfolder(folder: Folder, name: string): Folder {
  const prefix = `${name}/`
  return {
    list: async () => {
      const files = (await folder.list()).filter((file) => file.startsWith(prefix))
      return files.map((file) => file.slice(prefix.length))
    },
    read: (file) => folder.read(prefix + file),
  }
}

/** Which items of a list: every `n`-th, from the `k`-th (0 to n-1) on. */
export type Sample = readonly [k: number, n: number]

/** A folder with some of the files of another. */
export function sampleFiles(folder: Folder, [k, n]: Sample): Folder {
  return { ...folder, list: async () => (await folder.list()).filter((_file, i) => i % n === k) }
}

/** A file's text. */
export async function readText(folder: Folder, file: string): Promise<string> {
  return new TextDecoder().decode(await folder.read(file))
}

/** A file's contents as JSON. */
export async function readJson<T>(folder: Folder, file: string): Promise<T> {
  return JSON.parse(await readText(folder, file))
}
