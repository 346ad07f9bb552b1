// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

contract Counter {
    uint256 public count;

    event Increased(uint256 count);

    function increase() external {
        count += 1;
        emit Increased(count);
    }
}
