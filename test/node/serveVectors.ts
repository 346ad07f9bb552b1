/** Serves the folders of vectors while the tests run, so that tests in Node and in browsers read them the same way. */
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { TestProject } from 'vitest/node'
import type { Folder } from '../conformance/folder.ts'
import type {} from '../conformance/served.ts'
import { diskFolder } from './diskFolder.ts'

interface ServedFolder {
  readonly folder: Folder
  readonly files: readonly string[]
}

export default async function serveVectors({ provide }: TestProject): Promise<() => void> {
  const executionApis = await listFolder(process.env['PRESEAL_VECTORS'])
  const stateTests = await listFolder(process.env['PRESEAL_STATE_TESTS'])
  const served: Readonly<Record<string, ServedFolder | null>> = { executionApis, stateTests }
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
  const url = `http://127.0.0.1:${port}`
  provide('vectors', {
    executionApis: executionApis && `${url}/executionApis/`,
    stateTests: stateTests && `${url}/stateTests/`,
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
