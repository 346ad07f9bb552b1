/** Time under the manual clock. */
import { createChain, createManualClock } from 'preseal'

// #region advance
const clock = createManualClock()
await using chain = await createChain({ clock })
chain.on('preconf', ({ index }) =>
  console.log(`${clock.elapsed} ms: preconf block ${index}`),
)
chain.on('block', ({ block }) =>
  console.log(`${clock.elapsed} ms: block ${Number(block.number)}`),
)

await chain.advance(400)
await chain.seal() // a slot begins
await chain.advance(200) // so a tick is due after 200 ms
await chain.advance(1800)
// #endregion advance
// => 200 ms: preconf block 1
// => 400 ms: preconf block 2
// => 400 ms: block 1
// => 400 ms: preconf block 0
// => 600 ms: preconf block 1
// => 800 ms: preconf block 2
// => 1000 ms: preconf block 3
// => 1200 ms: preconf block 4
// => 1400 ms: preconf block 5
// => 1600 ms: preconf block 6
// => 1800 ms: preconf block 7
// => 2000 ms: preconf block 8
// => 2200 ms: preconf block 9
// => 2400 ms: block 2
// => 2400 ms: preconf block 0
