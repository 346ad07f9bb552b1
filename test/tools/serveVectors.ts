/** Serves the folders of vectors while the tests run, so that tests in Node and in browsers read them the same way. */
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { TestProject } from 'vitest/node'
import type { Folder } from '../conformance/folder.ts'
import type { FolderName } from '../conformance/served.ts'
import { diskFolder } from './diskFolder.ts'

/** The variables of the environment that name the folders. */
const VARIABLES: Readonly<Record<FolderName, string>> = {
  executionApis: 'PRESEAL_VECTORS',
  stateTests: 'PRESEAL_STATE_TESTS',
  ethereumTests: 'PRESEAL_ETHEREUM_TESTS',
  specTests: 'PRESEAL_SPEC_TESTS',
}

interface ServedFolder {
  readonly folder: Folder
  readonly files: readonly string[]
}

export default async function serveVectors({ provide }: TestProject): Promise<() => void> {
  const served: Readonly<Record<string, ServedFolder | null>> = Object.fromEntries(
    await Promise.all(
      Object.entries(VARIABLES).map(async ([name, variable]) => [
        name,
        await listFolder(process.env[variable]),
      ]),
    ),
  )
  const server = createServer((request, response) => {
    // The tests' page has another origin.
    response.setHeader('access-control-allow-origin', '*')
    const [, name = '', ...file] = decodeURI(request.url!).split('/')
    answer(response, served[name] ?? null, file.join('/')).catch((error) => response.destroy(error))
  })
  // A test may need more time for a file than the default for idle connections.
  server.keepAliveTimeout = 0
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const urlOf = (name: FolderName) => (served[name] ? `http://127.0.0.1:${port}/${name}/` : null)
  provide('vectors', {
    executionApis: urlOf('executionApis'),
    stateTests: urlOf('stateTests'),
    ethereumTests: urlOf('ethereumTests'),
    specTests: urlOf('specTests'),
  })
  return () => {
    server.close()
    server.closeAllConnections()
  }
}

async function listFolder(path: string | undefined): Promise<ServedFolder | null> {
  if (path === undefined) return null
  const folder = diskFolder(path)
  return { folder, files: await folder.list() }
}

async function answer(response: ServerResponse, served: ServedFolder | null, file: string): Promise<void> {
  if (served !== null && file === '') response.end(JSON.stringify(served.files))
  else if (served?.files.includes(file)) response.end(await served.folder.read(file))
  else response.writeHead(404).end()
}
