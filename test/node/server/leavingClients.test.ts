/** Clients over HTTP that leave before their sends are answered. */
import { request as httpRequest } from 'node:http'
import { expect, it, onTestFinished } from 'vitest'
import { Missing } from '../../../src/primitives/missing.ts'
import { serve } from '../../../src/server/index.ts'
import { startChain } from '../../harness.ts'
import { ask } from '../../rpc/scene.ts'

const CONTRACT = `0x${'c0de'.padStart(40, '0')}`

it('gives up the turn of a client that disconnects, and does not send its transaction', async () => {
  let load = (): void => {}
  let isAsked = (): void => {}
  let isHeld = true
  const asked = new Promise<void>((resolve) => {
    isAsked = resolve
  })
  const loaded = new Promise<void>((resolve) => {
    load = resolve
  })
  // The first estimate loads something, until the test lets it.
  const chain = await startChain(
    {},
    {
      executor: (own) => ({
        ...own,
        execute(...args) {
          if (!isHeld) return own.execute(...args)
          isHeld = false
          throw new Missing(() => {
            isAsked()
            return loaded
          })
        },
      }),
    },
  )
  await ask(chain.preconf, 'anvil_setCode', [CONTRACT, '0x00'])
  const server = await serve(chain, { port: 0 })
  onTestFinished(() => server.close())
  const [from, other] = chain.accounts.map(({ address }) => address)

  const leaving = httpRequest(server.url, { method: 'POST', headers: { 'Content-Type': 'application/json' } })
  const left = new Promise((resolve) => leaving.on('error', resolve))
  const params = [{ from, to: CONTRACT }]
  leaving.end(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_sendTransaction', params }))
  await asked
  const next = ask(chain.preconf, 'eth_sendTransaction', [{ from, to: other, gas: '0x5208' }])
  // Another sender waits for nobody, and the turn is still held.
  expect(await ask(chain.preconf, 'eth_sendTransaction', [{ from: other, to: from }])).toMatch(/^0x/)
  expect(await ask(chain.preconf, 'txpool_status')).toEqual({ pending: '0x1', queued: '0x0' })
  const mined = ask(chain.preconf, 'evm_mine', [])
  leaving.destroy()
  await left
  const hash = await next
  expect(await mined).toBe('0x0')
  load()
  await chain.seal()
  expect(await ask(chain.preconf, 'eth_getTransactionByHash', [hash])).toMatchObject({
    nonce: '0x0',
    blockNumber: '0x1',
  })
  expect(await ask(chain.preconf, 'eth_getTransactionCount', [from, 'pending'])).toBe('0x1')
  expect(await ask(chain.preconf, 'txpool_status')).toEqual({ pending: '0x0', queued: '0x0' })
})
