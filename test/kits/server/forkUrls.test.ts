/** Requests that name the URL of a node to fork: a server passes them on only if it may. */
import { describe, expect, it } from 'vitest'
import { createConnection, createHandler } from '../../../src/kits/server/index.ts'
import { METHODS } from '../../../src/rpc/table.ts'
import { startChain } from '../../harness.ts'

const URL_OF_NODE = 'http://127.0.0.1:1'
const REFUSED = {
  code: -32602,
  message:
    'this server accepts no URL of a node to fork: it must listen on loopback, or set the option forkUrls',
}

/** All names of the two methods. */
const names = (name: 'anvil_reset' | 'anvil_setRpcUrl'): string[] =>
  Object.entries(METHODS)
    .filter(([, method]) => method === METHODS[name])
    .map(([one]) => one)

/** Requests through a handler to a provider that answers each with its method. */
function through(options?: Parameters<typeof createHandler>[1]) {
  const handle = createHandler({ request: async ({ method }) => method }, options)
  return async (method: string, params: unknown): Promise<object> => {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
    const headers = { 'content-type': 'application/json' }
    const response = await handle(new Request('http://localhost', { method: 'POST', headers, body }))
    return (await response.json()) as object
  }
}

describe('a handler', () => {
  const forking = { jsonRpcUrl: URL_OF_NODE, blockNumber: 1 }

  it('refuses them under every name, in every form of params', async () => {
    const request = through()
    expect(names('anvil_reset')).toEqual(['anvil_reset', 'evm_reset', 'ganache_reset', 'hardhat_reset'])
    for (const name of names('anvil_reset')) {
      expect(await request(name, [{ forking }])).toMatchObject({ error: REFUSED })
      expect(await request(name, { forking })).toMatchObject({ error: REFUSED })
    }
    for (const name of names('anvil_setRpcUrl')) {
      expect(await request(name, [URL_OF_NODE])).toMatchObject({ error: REFUSED })
    }
  })

  it('passes on resets that name no URL', async () => {
    const request = through()
    for (const params of [
      [],
      undefined,
      [{}],
      [{ forking: {} }],
      [{ forking: { blockNumber: 1 } }],
      [null],
    ]) {
      expect(await request('anvil_reset', params)).toMatchObject({ result: 'anvil_reset' })
    }
  })

  it('passes all on with forkUrls', async () => {
    const request = through({ forkUrls: true })
    expect(await request('hardhat_reset', [{ forking }])).toMatchObject({ result: 'hardhat_reset' })
    expect(await request('anvil_setRpcUrl', [URL_OF_NODE])).toMatchObject({ result: 'anvil_setRpcUrl' })
  })
})

it('a connection refuses them too, and passes them on with forkUrls', async () => {
  const chain = await startChain()
  const request = { jsonrpc: '2.0', id: 1, method: 'anvil_setRpcUrl', params: [URL_OF_NODE] }
  const answers: string[] = []
  for (const options of [undefined, { forkUrls: true }]) {
    const connection = createConnection(chain.provider('standard'), (text) => answers.push(text), options)
    await connection.receive(JSON.stringify(request))
    connection.close()
  }
  expect(answers.map((text) => JSON.parse(text).error.code)).toEqual([-32602, -32000])
})
