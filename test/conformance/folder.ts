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

/** A file's text. */
export async function readText(folder: Folder, file: string): Promise<string> {
  return new TextDecoder().decode(await folder.read(file))
}

/** A file's contents as JSON. */
export async function readJson<T>(folder: Folder, file: string): Promise<T> {
  return JSON.parse(await readText(folder, file))
}
